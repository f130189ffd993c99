import { AssayError, type Candidate, type CandidateResult, type Coverage } from '../../core/index.ts';
import type { ForkServer } from './fork-server.ts';
import type { CandidateTime } from './schedule.ts';

/** Fork servers side by side; one that is lost is replaced, and its candidate is tried once more. */
export type Pool = {
  judge(
    candidates: readonly Candidate[],
    options: { signal: AbortSignal; onResult?: (result: CandidateResult) => void },
  ): Promise<CandidateResult[]>;
  coverage(limits: { totalMs: number; testMs: number }): Promise<Coverage>;
  readonly restarts: number;
  close(): Promise<void>;
};

/** Losses without a single answer in between that mean the servers cannot run at all. */
const hopeless = 12;

/**
 * @param start makes one more fork server; rejects where none can be had.
 * @param size servers at the same time, at least 1.
 */
export function openPool(options: {
  start: () => Promise<ForkServer>;
  size: number;
  time: CandidateTime;
}): Pool {
  const idle: ForkServer[] = [];
  const live = new Set<ForkServer>();
  let restarts = 0;
  let lossesInARow = 0;
  let closed = false;

  const acquire = async (): Promise<ForkServer> => {
    const server = idle.pop() ?? (await options.start());
    live.add(server);
    return server;
  };
  const drop = async (server: ForkServer) => {
    live.delete(server);
    restarts += 1;
    lossesInARow += 1;
    await server.close();
  };

  const judgeOne = async (
    candidate: Candidate,
    held: { server: ForkServer | null },
  ): Promise<CandidateResult> => {
    for (const last of [false, true]) {
      const server = held.server ?? (await acquire());
      held.server = server;
      const result = await server.judge(candidate, options.time);
      if (result !== null) {
        lossesInARow = 0;
        return result;
      }
      held.server = null;
      await drop(server);
      if (lossesInARow >= hopeless) throw lost();
      if (closed || last) break;
    }
    return { id: candidate.id, status: 'crashed', testsPassed: 0, failedTest: null, durationMs: 0 };
  };

  const judge: Pool['judge'] = async (candidates, { signal, onResult }) => {
    const results: CandidateResult[] = new Array(candidates.length);
    const queue = candidates.entries();
    const work = async () => {
      const held: { server: ForkServer | null } = { server: null };
      try {
        for (const [index, candidate] of queue) {
          signal.throwIfAborted();
          const result = await judgeOne(candidate, held);
          results[index] = result;
          onResult?.(result);
        }
      } finally {
        if (held.server) idle.push(held.server);
      }
    };
    const workers = Array.from({ length: Math.min(options.size, Math.max(1, candidates.length)) }, work);
    const settled = await Promise.allSettled(workers);
    const failure = settled.find((each) => each.status === 'rejected');
    if (failure) throw failure.reason;
    return results;
  };

  return {
    judge,
    coverage: async (limits) => {
      const server = await acquire();
      const coverage = await server.coverage(limits);
      if (coverage === null) await drop(server);
      else idle.push(server);
      return coverage ?? { tests: [] };
    },
    get restarts() {
      return restarts;
    },
    close: async () => {
      closed = true;
      await Promise.all([...live].map((server) => server.close()));
    },
  };
}

function lost(): AssayError {
  return new AssayError({
    code: 'environment',
    message: `The warm evaluator was lost ${hopeless} times in a row.`,
    because: 'its process in the sandbox dies or answers nothing, whatever it is given',
    fix: 'run `assay doctor`; if the machine is fine, the tests need more memory or processes than the limits allow',
  });
}
