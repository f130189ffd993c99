import type { Judged, JudgeState } from './judge.ts';

/** How far the search goes on after the first passing candidate. */
export type EnoughLimits = {
  /** Passing candidates after which the search ends. */
  passing: number;
  /**
   * What is spent after the first passing candidate: as many candidates again as it took, within `min` and `max`; one
   * that hangs counts as many. Time, as much again within `minMs` and `maxMs`, is but a net: what is found within it
   * depends on the machine.
   */
  extra: { min: number; max: number; minMs: number; maxMs: number };
};

/** A candidate that hangs takes the time of this many that end, at least. */
const hungCost = 50;

/**
 * How many more trials are worth it after those judged: Infinity while nothing passes, 0 when enough did.
 * @param spentMs milliseconds since the search began
 */
export function roomLeft<T>(state: JudgeState<T>, limits: EnoughLimits, spentMs: number): number {
  const last = lastPlace(state, limits);
  if (last === null || state.firstPassMs === null) return Number.POSITIVE_INFINITY;
  const { minMs, maxMs } = limits.extra;
  if (spentMs >= state.firstPassMs + clamp(state.firstPassMs, minMs, maxMs)) return 0;
  return Math.max(0, last + 1 - state.generated);
}

/** The passing candidates up to the place where the search is over, however far the last batch went beyond it. */
export function passingOf<T>(state: JudgeState<T>, limits: EnoughLimits): Judged<T>[] {
  const last = lastPlace(state, limits);
  return state.passing.filter(({ place }) => last === null || place <= last);
}

/** The last place that counts, by what was found alone; null while nothing passes. */
function lastPlace<T>({ passing, hung }: JudgeState<T>, limits: EnoughLimits): number | null {
  const first = passing[0]?.place;
  if (first === undefined) return null;
  const { min, max } = limits.extra;
  const slow = new Set(hung);
  let last = first;
  for (let left = clamp(first + 1, min, max); left > 0; left -= slow.has(last) ? hungCost : 1) last += 1;
  return Math.min(last, passing[limits.passing - 1]?.place ?? last);
}

const clamp = (value: number, low: number, high: number) => Math.min(high, Math.max(low, value));
