import type { ModelFailure, ModelUsage } from '../../core/index.ts';
import { type KnownSecret, scrub } from '../../store/index.ts';
import { type ProviderError, readError } from './provider-error.ts';
import { retryAfterMs } from './retry-after.ts';
import type { WireError } from './wire.ts';

export type FailureKind = ModelFailure['kind'];

/** What a failure is told with. */
export type FailureContext = {
  provider: string;
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
  now: Date;
};

/** Who ended a call before its reply was whole, other than its provider. `ms`: the limit that was passed. */
export type CallEnd = { by: 'user' } | { by: 'silence' | 'total'; ms: number };

/** Classifies whatever the SDK threw or streamed. Pure, and total: what nobody knows is `garbage`. */
export function failureOf(error: unknown, context: FailureContext): ModelFailure {
  const read = readError(error);
  const kind = kindOf(read);
  return {
    kind,
    message: sentence(
      `${headline(kind, read, context)}: ${read.said || 'it gave no reason'}`,
      context.secrets,
    ),
    fix: sentence(fixFor(kind, read, context), context.secrets),
    retryAfterMs: mayPass(kind) ? retryAfterMs(read, context.now) : null,
    usage: context.usage,
  };
}

/** The failure of a call that assay or its user ended. */
export function endedFailure(end: CallEnd, context: FailureContext): ModelFailure {
  const base = { retryAfterMs: null, usage: context.usage };
  if (end.by === 'user') {
    return {
      ...base,
      kind: 'aborted',
      message: `The call to ${context.receiver} was stopped.`,
      fix: 'Resume the run to ask again.',
    };
  }
  const seconds = Math.round(end.ms / 100) / 10;
  const what =
    end.by === 'silence' ? `sent nothing for ${seconds} s` : `had not finished its reply after ${seconds} s`;
  return {
    ...base,
    kind: 'timeout',
    message: `${context.receiver} ${what}.`,
    fix:
      context.baseUrl === null
        ? 'Try again later.'
        : `See whether the server at ${context.baseUrl} still answers, and how long ${context.model} takes for a long prompt.`,
  };
}

/** Kinds that may go away by themselves. */
export function mayPass(kind: FailureKind): boolean {
  return kind === 'rate_limit' || kind === 'overloaded' || kind === 'network' || kind === 'timeout';
}

function kindOf(read: ProviderError): FailureKind {
  if (read.wire !== null) return kindByWire(read.wire.reason);
  const named = kindByWords(read);
  if (named !== null) return named;
  const byStatus = read.status === null || read.status < 300 ? null : kindByStatus(read.status);
  if (byStatus !== null) return byStatus;
  if (read.network !== null) return 'network';
  const names = read.names.join(' ');
  if (/TimeoutError/.test(names)) return 'timeout';
  if (/AbortError/.test(names)) return 'network';
  if (/LoadAPIKeyError|LoadSettingError/.test(names)) return 'key';
  if (/NoSuchModelError/.test(names)) return 'unknown_model';
  if (/InvalidPromptError|UnsupportedFunctionality|InvalidArgument/.test(names)) return 'bad_request';
  if (
    /terminated|other side closed|socket hang up|fetch failed|premature close|network error/i.test(read.said)
  )
    return 'network';
  return 'garbage';
}

function kindByWire(reason: WireError['reason']): FailureKind {
  switch (reason) {
    case 'redirect':
      return 'bad_request';
    case 'cut':
      return 'network';
    case 'too_long':
    case 'no_reply':
      return 'garbage';
  }
}

/** Words come before the status: providers send a full window as 400, 413 and 500, and an empty account as 429. */
function kindByWords({ said, codes, status, body }: ProviderError): FailureKind | null {
  const isError = status === null || status >= 400 || codes !== '';
  if (!isError) return null;
  const words = `${codes} ${said}`.toLowerCase();
  if (/tokens per (?:minute|day)|\b[rt]p[md]\b/.test(words) && status !== 400) return 'rate_limit';
  if (
    /context_length|context length|context window|context size|prompt is too long|input (?:is )?too long|too many (?:input )?tokens|input token count|exceeds? the (?:maximum|max|limit)[^.]{0,40}tokens|exceed_context|string_above_max_length|request_too_large/.test(
      words,
    ) ||
    status === 413
  ) {
    return 'context_too_long';
  }
  if (
    /insufficient_quota|insufficient (?:quota|credits?|balance|funds)|credit balance|billing_hard_limit|billing_not_active|payment required|out of credits?/.test(
      words,
    ) ||
    status === 402
  ) {
    return 'no_credit';
  }
  if (
    /api_key_invalid|invalid_api_key|api key not valid|invalid api key|incorrect api key|invalid x-api-key|authentication_error/.test(
      words,
    )
  )
    return 'key';
  if (
    /content_policy|content_filter|content filter|responsible_?ai|prohibited_content|\bsafety\b|blocklist/.test(
      codes,
    ) ||
    /content management policy|"blockreason"/i.test(body)
  ) {
    return 'refused';
  }
  if (
    /model_not_found|model_not_exist|not_found_error|unknown model|model[^.]{0,120}(?:not found|does not exist|not exist|is not available)/.test(
      words,
    ) &&
    (status === null || status < 500)
  ) {
    return 'unknown_model';
  }
  if (/rate_limit|resource_exhausted|too many requests|too_many_requests/.test(words)) return 'rate_limit';
  if (
    /overloaded|unavailable|server_error|internal_error|api_error|\binternal\b/.test(codes) ||
    /^(?:overloaded|internal server error|service unavailable)/.test(said.toLowerCase())
  )
    return 'overloaded';
  return null;
}

function kindByStatus(status: number): FailureKind {
  if (status === 401 || status === 403 || status === 407) return 'key';
  if (status === 408) return 'timeout';
  if (status === 429) return 'rate_limit';
  if (status === 425 || status === 529) return 'overloaded';
  if (status === 501 || status === 505) return 'bad_request';
  return status >= 500 ? 'overloaded' : 'bad_request';
}

function headline(
  kind: FailureKind,
  read: ProviderError,
  { receiver, model, begun }: FailureContext,
): string {
  const status = read.status === null ? '' : ` (HTTP ${read.status})`;
  switch (kind) {
    case 'rate_limit':
      return `${receiver} takes no more requests for now${status}`;
    case 'overloaded':
      return `${receiver} cannot serve the request now${status}`;
    case 'network':
      return begun
        ? `The stream from ${receiver} was cut${code(read)}`
        : `${receiver} could not be reached${code(read)}`;
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
      return `${receiver} did not take the request${status}`;
    case 'garbage':
      return `${receiver} sent what is no reply of a model${status}`;
    case 'aborted':
      return `The call to ${receiver} was stopped`;
  }
}

const code = (read: ProviderError): string => (read.network === null ? '' : ` (${read.network})`);

function fixFor(kind: FailureKind, read: ProviderError, context: FailureContext): string {
  const { model, keyVariable, baseUrl, receiver } = context;
  const atUrl = baseUrl === null ? '' : ` at ${baseUrl}`;
  switch (kind) {
    case 'rate_limit':
    case 'overloaded':
      return 'Wait and resume the run, or take another model with --model.';
    case 'network':
      return baseUrl === null
        ? `See whether this machine reaches ${receiver}, then resume the run.`
        : `See whether a server listens at ${baseUrl}, then resume the run.`;
    case 'timeout':
      return 'Try again later, or take a faster model with --model.';
    case 'context_too_long':
      return `Take a model with a larger context window, or, on a server of your own, raise the context size of ${model}.`;
    case 'key':
      return `Put a valid key for ${receiver} into ${keyVariable}.`;
    case 'no_credit':
      return `Add credit to the account of the key in ${keyVariable}, or take another model with --model.`;
    case 'unknown_model':
      return `Give --model a name the server${atUrl} knows${baseUrl === null ? '' : ', and see whether the base URL is right'}.`;
    case 'refused':
      return 'Take another model with --model, or put the task in other words.';
    case 'bad_request':
      return badRequestFix(read, context);
    case 'garbage':
      return baseUrl === null
        ? 'Try again later. A proxy in between may have answered in its place.'
        : `See whether ${baseUrl} is the base URL of the API (it often ends in /v1).`;
    case 'aborted':
      return 'Resume the run to ask again.';
  }
}

function badRequestFix(read: ProviderError, { baseUrl, model }: FailureContext): string {
  if (read.wire?.reason === 'redirect')
    return 'Give the address it sends on to as --base-url, if it is yours: keys are not taken along.';
  if (baseUrl !== null && (read.status === 404 || read.status === 405)) {
    return `See whether ${baseUrl} is the base URL of the API (it often ends in /v1).`;
  }
  return `See whether ${model} can do what was asked (tools, streaming), or take --patch-transport text or another model.`;
}

/** One paragraph without secrets, of 500 characters at most. */
function sentence(text: string, secrets: readonly KnownSecret[]): string {
  // Scrubbed before it is cut, so that no half of a secret stays.
  const clean = scrub(text.slice(0, 100_000), secrets).text.replace(/\s+/g, ' ').trim();
  const cut = clean.length <= 500 ? clean : `${clean.slice(0, 497)}...`;
  return cut.toWellFormed();
}
