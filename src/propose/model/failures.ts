import type { ModelFailure, ModelUsage } from '../../core/index.ts';
import { type KnownSecret, scrub } from '../../store/index.ts';
import { type FailureKind, kindOf, mayPass } from './failure-kind.ts';
import { type ProviderError, readError } from './provider-error.ts';
import { retryAfterMs } from './retry-after.ts';

/** Why no other model can be named to the run that failed. */
const kept = '--model (a run keeps its own)';

/** What to do where a recording is not enough. */
export const recordAnew =
  'Record anew with --record: a recording is of one run, and of the project as it was then.';

/** What a failure is told with. */
export type FailureContext = {
  model: string;
  /** Host and port, or the provider's name. */
  receiver: string;
  /** The base URL the user gave, if he gave one. */
  baseUrl: string | null;
  /** Where the key comes from. */
  keyVariable: string;
  /** Taken out wherever they stand. */
  secrets: readonly KnownSecret[];
  /** What the call cost all the same. */
  usage: ModelUsage;
  /** Something of a reply came before it. */
  begun: boolean;
  /** The environment names a proxy, and nothing tells Node to take it. */
  unusedProxy: boolean;
  now: Date;
};

/** Who ended a call before its reply was whole, other than its provider. `ms`: the limit that was passed. */
export type CallEnd = { by: 'user' } | { by: 'silence' | 'total'; ms: number };

/** Classifies whatever the SDK threw or streamed. Pure; never throws. */
export function failureOf(error: unknown, context: FailureContext): ModelFailure {
  const read = readError(error);
  const kind = kindOf(read);
  const said = read.said.trim() || 'it gave no reason';
  return {
    kind,
    message: sentence(`${headline(kind, read, context)}: ${said}`, context.secrets),
    fix: sentence(fixFor(kind, read, context), context.secrets),
    retryAfterMs: mayPass(kind) ? retryAfterMs(read, context.now) : null,
    usage: context.usage,
  };
}

/** The failure of a call that assay or its user ended. */
export function endedFailure(
  end: CallEnd,
  { receiver, model, baseUrl, usage }: FailureContext,
): ModelFailure {
  const base = { retryAfterMs: null, usage };
  if (end.by === 'user') {
    const message = `The call to ${receiver} was stopped.`;
    return { ...base, kind: 'aborted', message, fix: 'Resume the run to ask again.' };
  }
  const seconds = Math.round(end.ms / 100) / 10;
  const what = end.by === 'silence' ? `sent nothing for ${seconds} s` : `was not done after ${seconds} s`;
  return {
    ...base,
    kind: 'timeout',
    message: `${receiver} ${what}.`,
    fix:
      baseUrl === null
        ? `Resume the run later, or start a new one with a faster model, ${kept}.`
        : `See whether the server at ${baseUrl} still answers, and how long ${model} takes for a long prompt.`,
  };
}

function headline(
  kind: FailureKind,
  read: ProviderError,
  { receiver, model, begun }: FailureContext,
): string {
  const status = read.status === null ? '' : ` (HTTP ${read.status})`;
  const code = read.network === null ? '' : ` (${read.network})`;
  switch (kind) {
    case 'rate_limit':
      return `${receiver} takes no more requests for now${status}`;
    case 'overloaded':
      return `${receiver} cannot serve the request now${status}`;
    case 'network':
      return begun ? `The stream from ${receiver} was cut${code}` : `${receiver} could not be reached${code}`;
    case 'timeout':
      return `${receiver} did not answer in time${status}`;
    case 'context_too_long':
      return `The request is too long for ${model}${status}`;
    case 'key':
      return `${receiver} does not accept the key${status}`;
    case 'no_credit':
      return `The account at ${receiver} has no credit${status}`;
    case 'unknown_model':
      return `${receiver} has no model ${model}${status}`;
    case 'refused':
      return `${receiver} refused to answer${status}`;
    case 'bad_request':
      return read.network === null
        ? `${receiver} did not take the request${status}`
        : `The certificate of ${receiver} is not trusted${code}`;
    case 'recording_over':
      return `The recording of ${model} has no more replies`;
    case 'garbage':
      return `${receiver} sent what is no reply of a model${status}`;
    case 'aborted':
      return `The call to ${receiver} was stopped`;
  }
}

function fixFor(kind: FailureKind, read: ProviderError, context: FailureContext): string {
  const { model, keyVariable, baseUrl, receiver } = context;
  switch (kind) {
    case 'rate_limit':
    case 'overloaded':
      return `Wait and resume the run, or start a new one with another model, ${kept}.`;
    case 'network':
      if (context.unusedProxy && !context.begun) {
        return 'Set NODE_USE_ENV_PROXY=1 if the proxy that the environment names is needed here, then resume the run.';
      }
      return baseUrl === null
        ? `See whether this machine reaches ${receiver}, then resume the run.`
        : `See whether a server listens at ${baseUrl}, then resume the run.`;
    case 'timeout':
      return `Resume the run later, or start a new one with a faster model, ${kept}.`;
    case 'context_too_long':
      return `On a server of your own, raise the context size of ${model} and resume the run; else start a new one with another model, ${kept}.`;
    case 'key':
      return `Put a valid key for ${receiver} into ${keyVariable}.`;
    case 'no_credit':
      return `Add credit to the account of the key in ${keyVariable} and resume the run, or start a new one with another model, ${kept}.`;
    case 'unknown_model':
      return baseUrl === null
        ? `Start a new run with a name that the provider knows, ${kept}.`
        : `Start a new run with a name that the server at ${baseUrl} knows, ${kept}; or load ${model} there and resume this one.`;
    case 'refused':
      return `Start a new run with another model, ${kept}, or put the task in other words.`;
    case 'bad_request':
      return badRequestFix(read, context);
    case 'recording_over':
      return recordAnew;
    case 'garbage':
      return baseUrl === null
        ? 'Try again later. A proxy in between may have answered in its place.'
        : wrongBaseUrl(baseUrl);
    case 'aborted':
      return 'Resume the run to ask again.';
  }
}

function badRequestFix(read: ProviderError, { baseUrl, model }: FailureContext): string {
  if (read.network !== null) {
    return 'Set NODE_EXTRA_CA_CERTS to the certificate of the authority that signed it, if you trust it.';
  }
  if (read.wire?.reason === 'redirect') {
    return 'Give the address it sends on to as --base-url, if you trust it with the source and the key.';
  }
  if (baseUrl !== null && (read.status === 404 || read.status === 405)) return wrongBaseUrl(baseUrl);
  return `See whether ${model} can do what was asked (tools, streaming), or start a new run with --patch-transport text or with another model, ${kept}.`;
}

const wrongBaseUrl = (baseUrl: string): string =>
  `See whether ${baseUrl} is the base URL of the API (it often ends in /v1).`;

/** One paragraph without secrets, of 500 characters at most. */
function sentence(text: string, secrets: readonly KnownSecret[]): string {
  // Scrubbed before it is cut, so that no half of a secret stays.
  const clean = scrub(text.slice(0, 100_000), secrets).text.replace(/\s+/g, ' ').trim();
  const cut = clean.length <= 500 ? clean : `${clean.slice(0, 497)}...`;
  return cut.toWellFormed();
}
