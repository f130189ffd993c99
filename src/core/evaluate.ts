/**
 * The port a searching proposer is handed: candidates in, what the tests said of each out. Warm and fast, so it
 * can be poisoned: a verdict never comes from it.
 */
export type Candidate = {
  id: string;
  /** Whole new text of each edited file, by project-relative path. */
  files: { path: string; content: string }[];
};

export type CandidateResult = {
  id: string;
  /** `invalid`: the file does not even parse or import · `hung`: over the time limit derived from the baseline · `crashed`: the fork died. */
  status: 'passed' | 'failed' | 'invalid' | 'hung' | 'crashed';
  /** Tests that passed before the first failure ended this candidate (failing tests run first). */
  testsPassed: number;
  /** The first test that failed, if any. */
  failedTest: string | null;
  durationMs: number;
};

/** Judges candidates in order; results come in the same order. Rejects only when `signal` aborts or the lab cannot run. */
export type Evaluate = (
  candidates: Candidate[],
  options: {
    signal: AbortSignal;
    onResult?: (result: CandidateResult) => void;
    /**
     * Ids of tests that this question leaves out: `passed` then says nothing of them. For repairs of a part of what
     * fails. Each other set may cost a new start of the evaluator.
     */
    ignore?: readonly string[];
  },
) => Promise<CandidateResult[]>;

/** Lines each test ran, by project-relative path; protected files left out. */
export type Coverage = {
  tests: { id: string; passed: boolean; lines: Record<string, number[]> }[];
};
