import type { Received } from './channel/read-records.ts';
import type { Canary } from './frameworks/framework.ts';

type CanaryEvidence = { received: Received; canaries: readonly Canary[] };

/** Null where the framework never got as far as its canaries, or could not build them. Pure. */
export function canariesBehaved(evidence: CanaryEvidence): boolean | null {
  if (wrongCanary(evidence) !== null) return false;
  const { canaries } = evidence.received;
  return canaries.length === 0 || canaries.some((canary) => canary.outcome === 'unbuilt') ? null : true;
}

/**
 * Says what is wrong with the first canary that came out otherwise than it must, came twice, is unknown, or is missing
 * from a run that says it is complete; null where all is well. A run that was cut owes no canary. Pure.
 */
export function wrongCanary({ received, canaries }: CanaryEvidence): string | null {
  const known = new Map(canaries.map((canary) => [canary.id, canary]));
  const seen = new Set<string>();
  for (const { id, outcome } of received.canaries) {
    const canary = known.get(id);
    if (canary === undefined) return `an unknown canary ${id} was reported`;
    if (seen.has(id)) return `the canary ${id} was reported more than once`;
    seen.add(id);
    const excused = outcome === 'unbuilt' || (outcome === 'not_needed' && canary.optional);
    if (excused || outcome === canary.expect) continue;
    return `the canary ${id} must have ${canary.expect} but ${outcome}: the test machinery was patched`;
  }
  const unbuilt = received.canaries.some((canary) => canary.outcome === 'unbuilt');
  if (!received.completed || received.unable !== null || unbuilt) return null;
  const absent = canaries.find((canary) => !seen.has(canary.id));
  return absent === undefined ? null : `the canary ${absent.id} was never run`;
}
