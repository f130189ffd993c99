import { watchEvidence, withoutNotes } from '../kernel/index.ts';
import type { EvidenceOf } from '../loop/index.ts';

/** Files, variables and figures of a kernel, as the loop asks for them. */
export const evidenceOf: EvidenceOf = (kernel) => {
  const watch = watchEvidence(kernel);
  return {
    ground: () => watch.ground(),
    after: async ({ result }) => ({
      result: withoutNotes(result),
      evidence: await watch.after({ result }),
    }),
  };
};
