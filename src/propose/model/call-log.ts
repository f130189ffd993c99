import type { CallLog } from '../types.ts';

/** For a proposer outside a run: nothing was journaled, and nothing is. */
export const noCallLog: CallLog = {
  past: () => null,
  calling: async () => {},
  called: async () => {},
};
