import type { ModelFailure } from '../../core/index.ts';
import type { ProviderError } from './provider-error.ts';
import type { WireError } from './wire.ts';

export type FailureKind = ModelFailure['kind'];

/** Kinds that may go away by themselves. */
export function mayPass(kind: FailureKind): boolean {
  return kind === 'rate_limit' || kind === 'overloaded' || kind === 'network' || kind === 'timeout';
}

/** Which failure an error is. Total: what nobody knows is `garbage`. */
export function kindOf(read: ProviderError): FailureKind {
  if (read.wire !== null) return kindByWire(read.wire.reason);
  return (
    kindByWords(read) ?? kindByStatus(read.status) ?? kindByNetwork(read) ?? kindByName(read) ?? 'garbage'
  );
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

type WordRule = {
  kind: FailureKind;
  /** Found in the codes and the words, in lower case. */
  words?: RegExp;
  /** Found in the codes alone: in a sentence it may stand for anything. */
  codes?: RegExp;
  /** Only with such a status. A stream gives none. */
  status?: (status: number) => boolean;
};

/**
 * The first that holds counts. Words come before the status: providers send a full window as 400, 413 and 500, and
 * an empty account as 400, 402 and 429.
 */
const wordRules: readonly WordRule[] = [
  {
    kind: 'rate_limit',
    words: /tokens per (?:min|minute|day)\b|\b[rt]p[md]\b/,
    status: (status) => status !== 400,
  },
  {
    kind: 'context_too_long',
    words: new RegExp(
      [
        'context_length|context length|context window|context size|exceed_context',
        'prompt is too long|input (?:is )?too long|too many (?:input )?tokens|string_above_max_length',
        'input token count|exceeds? the (?:maximum|max|limit)[^.]{0,40}tokens|request_too_large',
      ].join('|'),
    ),
  },
  {
    kind: 'no_credit',
    words: new RegExp(
      [
        'insufficient_quota|insufficient (?:quota|credits?|balance|funds)|credit balance|out of credits?',
        'billing_hard_limit|billing_not_active|payment required',
      ].join('|'),
    ),
  },
  {
    kind: 'key',
    words:
      /api_key_invalid|invalid_api_key|api key not valid|(?:invalid|incorrect) api key|invalid x-api-key|authentication_error/,
  },
  {
    kind: 'refused',
    codes: /content_policy|content_filter|responsible_?ai|prohibited_content|\bsafety\b|blocklist/,
  },
  { kind: 'refused', words: /content management policy|content filter/ },
  {
    kind: 'unknown_model',
    words:
      /model_not_found|model_not_exist|not_found_error|unknown model|model[^.]{0,120}(?:not found|does not exist|not exist|is not available)/,
    status: (status) => status < 500,
  },
  { kind: 'rate_limit', words: /rate_limit|resource_exhausted|too many requests|too_many_requests/ },
  {
    kind: 'overloaded',
    codes: /overloaded|unavailable|server_error|internal_error|api_error|\binternal\b/,
    status: (status) => status < 400 || status >= 500,
  },
  { kind: 'overloaded', words: /^\s*(?:overloaded|internal server error|service unavailable)/ },
];

function kindByWords({ said, codes, status, names, network }: ProviderError): FailureKind | null {
  // Words of the machine and of the SDK mean something else than the same ones from a provider.
  if (network !== null || (status === null && codes === '' && names.length > 0)) return null;
  const words = `${codes} ${said}`.toLowerCase();
  const rule = wordRules.find(
    (each) =>
      (each.words?.test(words) ?? true) &&
      (each.codes?.test(codes) ?? true) &&
      (status === null || (each.status?.(status) ?? true)),
  );
  return rule?.kind ?? null;
}

/** RFC 9110, and 529 of Anthropic. A success is none. */
function kindByStatus(status: number | null): FailureKind | null {
  if (status === null || status < 300) return null;
  if (status === 401 || status === 403 || status === 407) return 'key';
  if (status === 402) return 'no_credit';
  if (status === 408) return 'timeout';
  if (status === 413) return 'context_too_long';
  if (status === 429) return 'rate_limit';
  if (status === 425) return 'overloaded';
  if (status === 501 || status === 505) return 'bad_request';
  return status >= 500 ? 'overloaded' : 'bad_request';
}

function kindByNetwork({ network, said }: ProviderError): FailureKind | null {
  if (network !== null) return isCertificate(network) ? 'bad_request' : 'network';
  const cut = /\bterminated\b|other side closed|socket hang up|fetch failed|premature close|network error/i;
  return cut.test(said) ? 'network' : null;
}

/** No waiting makes one trusted. */
function isCertificate(code: string): boolean {
  return /CERT|SELF_SIGNED|UNABLE_TO_/.test(code);
}

function kindByName({ names }: ProviderError): FailureKind | null {
  const name = names.join(' ');
  if (/TimeoutError/.test(name)) return 'timeout';
  // What assay or its user ended does not come here.
  if (/AbortError/.test(name)) return 'network';
  if (/LoadAPIKeyError|LoadSettingError/.test(name)) return 'key';
  if (/NoSuchModelError/.test(name)) return 'unknown_model';
  return /InvalidPromptError|UnsupportedFunctionality|InvalidArgument/.test(name) ? 'bad_request' : null;
}
