import type { Candidate, CandidateResult, Clock } from '../../core/index.ts';
import type { ProposerTools } from '../types.ts';

/** A candidate that can be sent to the evaluator, with what made it. */
export type Trial<T> = { readonly path: string; readonly content: string; readonly origin: T };

export type Judged<T> = { readonly trial: Trial<T>; readonly result: CandidateResult };

export type JudgeOptions<T> = {
  trials: Iterator<Trial<T>>;
  tools: ProposerTools;
  clock: Clock;
  /** The largest batch; the next one is as large as the last one was quick. */
  batchSize: number;
  /** Asked after each batch: go on? */
  enough(state: JudgeState<T>): boolean;
  /** Monotonic time after which no batch starts and a running one is cut. */
  deadlineMs: number;
  state: JudgeState<T>;
  at(trial: Trial<T>): string;
};

export type JudgeState<T> = {
  generated: number;
  tried: number;
  hung: number;
  passing: Judged<T>[];
  /** Not passing, but it got past the first failing test. */
  partial: Judged<T>[];
  /** Candidates tried and milliseconds gone when the first one passed. */
  firstPass: { tried: number; ms: number } | null;
  startedMs: number;
};

/** Why judging stopped: nothing left to try, enough found, a budget, or the caller. */
export type JudgeEnd = 'done' | 'enough' | 'candidates' | 'wall' | 'aborted';

/** Where candidates hang, a batch is slow: small ones let the search stop soon after it has found something. */
const firstBatch = 16;
const smallestBatch = 8;
const batchMs = 1500;

/**
 * Judges trials in batches until `enough`, none is left, a budget is used up or the caller aborts. A batch that was
 * cut keeps the results that had come. Rejects when the evaluator cannot run.
 */
export async function judge<T>(options: JudgeOptions<T>): Promise<JudgeEnd> {
  const { state, tools, clock } = options;
  let size = Math.min(firstBatch, options.batchSize);
  for (;;) {
    if (tools.signal.aborted) return 'aborted';
    if (options.enough(state)) return 'enough';
    const leftMs = options.deadlineMs - clock.monotonicMs();
    if (leftMs <= 0) return 'wall';
    const allowed = tools.budget.candidates === null ? size : tools.budget.candidates - state.tried;
    if (allowed <= 0) return 'candidates';
    const batch = take(options.trials, Math.min(size, allowed));
    if (batch.length === 0) return 'done';
    state.generated += batch.length;
    const startedMs = clock.monotonicMs();
    const cut = await judgeBatch(options, batch, leftMs);
    if (cut !== null) return cut;
    const eachMs = (clock.monotonicMs() - startedMs) / batch.length;
    size = Math.min(options.batchSize, Math.max(smallestBatch, Math.floor(batchMs / eachMs)));
  }
}

/** What cut the batch short, or null. */
async function judgeBatch<T>(
  options: JudgeOptions<T>,
  batch: Trial<T>[],
  leftMs: number,
): Promise<'wall' | 'aborted' | null> {
  const { state, tools, clock } = options;
  const deadline = AbortSignal.timeout(Math.max(1, Math.ceil(leftMs)));
  const byId = new Map(batch.map((trial, place) => [`${state.tried + place + 1}`, trial]));
  const left = new Map(byId);
  const onResult = (result: CandidateResult) => {
    const trial = left.get(result.id);
    if (trial === undefined) return;
    left.delete(result.id);
    record(state, trial, result, clock.monotonicMs() - state.startedMs);
  };
  let cut: 'wall' | 'aborted' | null = null;
  try {
    const candidates = [...byId].map(
      ([id, { path, content }]): Candidate => ({ id, files: [{ path, content }] }),
    );
    const signal = AbortSignal.any([tools.signal, deadline]);
    for (const result of await tools.evaluate(candidates, { signal, onResult })) onResult(result);
  } catch (error) {
    if (tools.signal.aborted) cut = 'aborted';
    else if (deadline.aborted) cut = 'wall';
    else throw error;
  }
  const seconds = (clock.monotonicMs() - state.startedMs) / 1000;
  const last = batch.at(-1);
  tools.onProgress?.({
    kind: 'search',
    generated: state.generated,
    tried: state.tried,
    passing: state.passing.length,
    hung: state.hung,
    perSecond: seconds > 0 ? state.tried / seconds : 0,
    at: last === undefined ? '' : options.at(last),
  });
  return cut;
}

function record<T>(state: JudgeState<T>, trial: Trial<T>, result: CandidateResult, ms: number): void {
  state.tried += 1;
  switch (result.status) {
    case 'passed':
      state.firstPass ??= { tried: state.tried, ms };
      state.passing.push({ trial, result });
      break;
    case 'failed':
      if (result.testsPassed > 0) state.partial.push({ trial, result });
      break;
    case 'hung':
      state.hung += 1;
      break;
    case 'invalid':
    case 'crashed':
      break;
  }
}

function take<T>(from: Iterator<T>, count: number): T[] {
  const taken: T[] = [];
  while (taken.length < count) {
    const next = from.next();
    if (next.done === true) break;
    taken.push(next.value);
  }
  return taken;
}
