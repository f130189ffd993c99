import type { Coverage } from '../core/index.ts';

/** Coverage that was measured once, by the digest of the patched state; a proposer asks for it at every proposal. */
export type CoverageCache = {
  of(state: string, measure: () => Promise<Coverage>): Promise<Coverage>;
};

/** Keeps the last state's only: a run seldom goes back, and coverage of thousands of tests is large. */
export function coverageCache(): CoverageCache {
  let kept: { state: string; coverage: Coverage } | null = null;
  return {
    async of(state, measure) {
      if (kept?.state === state) return kept.coverage;
      const coverage = await measure();
      kept = { state, coverage };
      return coverage;
    },
  };
}
