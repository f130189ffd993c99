import type { Failure } from '../../core/index.ts';

/** What programs say when there is no network: C library, Python, Node, Go, Java, curl. */
const signs =
  /Temporary failure in name resolution|Name or service not known|nodename nor servname|No address associated with hostname|Network is unreachable|EAI_AGAIN|ENETUNREACH|getaddrinfo (?:ENOTFOUND|failed)|Could not resolve host|no such host|UnknownHostException|Failed to resolve '/;

/** The failure looks like that of code that wanted the network. */
export function needsNetwork({ message, trace }: Failure): boolean {
  return signs.test(message) || signs.test(trace.slice(-8192));
}

/** A sentence for the report where failures look like a missing network, else null. */
export function networkHint(failures: readonly { name: string; failure: Failure }[]): string | null {
  const hit = failures.filter(({ failure }) => needsNetwork(failure));
  const [first] = hit;
  if (first === undefined) return null;
  const others = hit.length > 1 ? ` and ${hit.length - 1} more` : '';
  return `the sandbox has no network: ${first.name}${others} failed while looking for a host outside`;
}
