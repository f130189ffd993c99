import type { Candidate, CandidateResult, Coverage } from '../../core/index.ts';
import type { ForkServer } from './fork-server.ts';
import type { CandidateTime } from './schedule.ts';
import { openServers, type Servers } from './servers.ts';

/** Fork servers side by side; one that is lost is replaced, and its candidate is tried once more. */
export type Pool = {
  /**
   * Results in the order of the candidates; `onResult` is told each as soon as it is known.
   * @throws AssayError `environment` where the servers are lost again and again; what `signal` aborts with.
   */
  judge(
    candidates: readonly Candidate[],
    options: { signal: AbortSignal; onResult?: (result: CandidateResult) => void },
  ): Promise<CandidateResult[]>;
  /** Limits in milliseconds. Of no test where the server was lost. */
  coverage(limits: { totalMs: number; testMs: number }): Promise<Coverage>;
  /** Servers lost so far. */
  readonly restarts: number;
  close(): Promise<void>;
};

export type PoolOptions = {
  /** Makes one more fork server; rejects where none can be had. */
  start: () => Promise<ForkServer>;
  /** Servers at the same time, at least 1. */
  size: number;
  time: CandidateTime;
};

/** Opens a pool that starts its servers when there is something to judge. */
export function openPool({ start, size, time }: PoolOptions): Pool {
  const servers = openServers(start);
  return {
    judge: async (candidates, { signal, onResult }) => {
      const results: CandidateResult[] = new Array(candidates.length);
      const queue = candidates.entries();
      const work = async () => {
        const held: Held = { server: null };
        try {
          for (const [index, candidate] of queue) {
            signal.throwIfAborted();
            const result = await judgeOne({ servers, held, candidate, time });
            results[index] = result;
            onResult?.(result);
          }
        } finally {
          if (held.server) servers.giveBack(held.server);
        }
      };
      const workers = Array.from({ length: Math.min(size, Math.max(1, candidates.length)) }, work);
      const settled = await Promise.allSettled(workers);
      const failure = settled.find((each) => each.status === 'rejected');
      if (failure) throw failure.reason;
      return results;
    },
    coverage: async (limits) => {
      const server = await servers.take();
      const coverage = await server.coverage(limits);
      if (coverage === null) await servers.lose(server);
      else servers.giveBack(server);
      return coverage ?? { tests: [] };
    },
    get restarts() {
      return servers.lost;
    },
    close: () => servers.close(),
  };
}

/** The server that a worker keeps from one candidate to the next. */
type Held = { server: ForkServer | null };

async function judgeOne(options: {
  servers: Servers;
  held: Held;
  candidate: Candidate;
  time: CandidateTime;
}): Promise<CandidateResult> {
  const { servers, held, candidate, time } = options;
  for (const last of [false, true]) {
    const server = held.server ?? (await servers.take());
    held.server = server;
    const result = await server.judge(candidate, time);
    if (result !== null) {
      servers.answered();
      return result;
    }
    held.server = null;
    await servers.lose(server);
    if (servers.closed || last) break;
  }
  return { id: candidate.id, status: 'crashed', testsPassed: 0, failedTest: null, durationMs: 0 };
}
