import type { CandidateResult, Clock } from '../core/index.ts';
import type { CandidateBatch } from './repair-effects.ts';

export type BatchCounter = {
  /** Counts results; emits one batch when the last one is `everyMs` old. */
  add(results: readonly CandidateResult[]): Promise<void>;
  /** Emits what has not been emitted yet. */
  flush(): Promise<void>;
};

/** Sums candidates up, so that the journal has one event for about a second of search, not one for each candidate. */
export function countBatches(options: {
  clock: Clock;
  emit: (batch: CandidateBatch) => Promise<void>;
  everyMs?: number;
}): BatchCounter {
  const { clock, emit, everyMs = 1_000 } = options;
  let sinceMs = clock.monotonicMs();
  let [tried, passed, hung] = [0, 0, 0];
  const flush = async () => {
    if (tried === 0) return;
    const nowMs = clock.monotonicMs();
    const batch = { tried, passed, hung, wallMs: Math.max(0, nowMs - sinceMs) };
    sinceMs = nowMs;
    [tried, passed, hung] = [0, 0, 0];
    await emit(batch);
  };
  return {
    async add(results) {
      tried += results.length;
      passed += results.filter(({ status }) => status === 'passed').length;
      hung += results.filter(({ status }) => status === 'hung').length;
      if (clock.monotonicMs() - sinceMs >= everyMs) await flush();
    },
    flush,
  };
}
