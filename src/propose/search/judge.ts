import type { Candidate, CandidateResult, Clock } from '../../core/index.ts';
import type { ProposerTools } from '../types.ts';

/** A candidate that can be sent to the evaluator, with what made it. */
export type Trial<T> = { readonly path: string; readonly content: string; readonly origin: T };

/** `place`: 0-based, in the order in which trials are made, which no machine's speed changes. */
export type Judged<T> = {
  readonly trial: Trial<T>;
  readonly result: CandidateResult;
  readonly place: number;
};

export type JudgeOptions<T> = {
  trials: Iterator<Trial<T>>;
  tools: ProposerTools;
  /** Failing tests that the question leaves out. */
  ignore: readonly string[];
  clock: Clock;
  /** The largest batch; the next one is as large as the last one was quick. */
  batchSize: number;
  /** Asked before each batch: how many more trials are wanted at most, whatever they come to; 0 ends. */
  room(state: JudgeState<T>): number;
  /** What this call may use as long as nothing passes: trials, and a monotonic time after which no batch starts. */
  share: { trials: number; deadlineMs: number };
  /** Monotonic time after which no batch starts and a running one is cut. */
  deadlineMs: number;
  state: JudgeState<T>;
  total: JudgeTotal;
  at(trial: Trial<T>): string;
};

/** What was tried for one question. */
export type JudgeState<T> = {
  /** Trials taken; the next one's place. */
  generated: number;
  /** By place. */
  passing: Judged<T>[];
  /** Not passing, but it got past the first failing test. By place. */
  partial: Judged<T>[];
  /** Places of trials that hung, ascending. */
  hung: number[];
  /** Milliseconds that judging had taken when the first one passed. */
  firstPassMs: number | null;
};

/** What was tried in all, for the budget and the user. */
export type JudgeTotal = {
  generated: number;
  tried: number;
  hung: number;
  passing: number;
  readonly startedMs: number;
};

/** Why judging stopped: nothing left to try, enough found, its share or a budget used up, or the caller. */
export type JudgeEnd = 'done' | 'enough' | 'share' | 'candidates' | 'wall' | 'aborted';

export const noneJudged = <T>(): JudgeState<T> => ({
  generated: 0,
  passing: [],
  partial: [],
  hung: [],
  firstPassMs: null,
});

/** Where candidates hang, a batch is slow: small ones let the search stop soon after it has found something. */
const firstBatch = 16;
const smallestBatch = 8;
const batchMs = 1500;

/**
 * Judges trials in batches until there is no room for more, none is left, a share or budget is used up or the caller
 * aborts. A batch that was cut keeps the results that had come. Rejects when the evaluator cannot run.
 */
export async function judge<T>(options: JudgeOptions<T>): Promise<JudgeEnd> {
  const { state, total, tools, clock, share } = options;
  let size = Math.min(firstBatch, options.batchSize);
  const until = state.generated + share.trials;
  for (;;) {
    if (tools.signal.aborted) return 'aborted';
    const room = options.room(state);
    if (room <= 0) return 'enough';
    const leftMs = options.deadlineMs - clock.monotonicMs();
    if (leftMs <= 0) return 'wall';
    const { candidates } = tools.budget;
    const allowed = candidates === null ? size : candidates - total.tried;
    if (allowed <= 0) return 'candidates';
    const shared = state.passing.length > 0 ? size : until - state.generated;
    if (shared <= 0 || (state.passing.length === 0 && clock.monotonicMs() >= share.deadlineMs))
      return 'share';
    const batch = take(options.trials, Math.min(size, room, allowed, shared));
    if (batch.length === 0) return 'done';
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
  const { state, total, tools, clock, ignore } = options;
  const deadline = AbortSignal.timeout(Math.max(1, Math.ceil(leftMs)));
  const first = state.generated;
  const byId = new Map(batch.map((trial, at) => [`${first + at + 1}`, { trial, place: first + at }]));
  const left = new Map(byId);
  state.generated += batch.length;
  total.generated += batch.length;
  const onResult = (result: CandidateResult) => {
    const made = left.get(result.id);
    if (made === undefined) return;
    left.delete(result.id);
    record(options, { ...made, result });
  };
  let cut: 'wall' | 'aborted' | null = null;
  try {
    const candidates = [...byId].map(
      ([id, { trial }]): Candidate => ({ id, files: [{ path: trial.path, content: trial.content }] }),
    );
    const signal = AbortSignal.any([tools.signal, deadline]);
    const asked = { signal, onResult, ...(ignore.length > 0 && { ignore }) };
    for (const result of await tools.evaluate(candidates, asked)) onResult(result);
  } catch (error) {
    if (tools.signal.aborted) cut = 'aborted';
    else if (deadline.aborted) cut = 'wall';
    else throw error;
  }
  // Results come as they are ready: where two fork servers work side by side, in any order.
  state.passing.sort(byPlace);
  state.partial.sort(byPlace);
  state.hung.sort((a, b) => a - b);
  const seconds = (clock.monotonicMs() - total.startedMs) / 1000;
  const last = batch.at(-1);
  tools.onProgress?.({
    kind: 'search',
    generated: total.generated,
    tried: total.tried,
    passing: total.passing,
    hung: total.hung,
    perSecond: seconds > 0 ? total.tried / seconds : 0,
    at: last === undefined ? '' : options.at(last),
  });
  return cut;
}

const byPlace = (a: { place: number }, b: { place: number }) => a.place - b.place;

function record<T>({ state, total, clock }: JudgeOptions<T>, judged: Judged<T>): void {
  total.tried += 1;
  const { result, place } = judged;
  switch (result.status) {
    case 'passed':
      total.passing += 1;
      state.firstPassMs ??= clock.monotonicMs() - total.startedMs;
      state.passing.push(judged);
      break;
    case 'failed':
      if (result.testsPassed > 0) state.partial.push(judged);
      break;
    case 'hung':
      total.hung += 1;
      state.hung.push(place);
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
