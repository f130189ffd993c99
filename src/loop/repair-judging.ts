import type { RepairEnd, Report } from '../core/index.ts';
import { type Applied, type Base, type EventOf, layersOf, type RepairState } from './repair-state.ts';
import { type At, bestGround, ended, giveUp, noteTrial, tryNext } from './repair-steps.ts';
import { fingerprint } from './stagnation.ts';
import { compare, environment, failingCount, keeps, outcomeOf, unsteadyIds } from './standing.ts';

/** More could be used to ask the held-out tests questions; after these each stage that takes over has one. */
const confirmationsAllowed = 3;

export function onTested(state: RepairState, phase: At<'testing'>, report: Report): RepairState {
  const { base, trial, first } = phase;
  const spent = { ...state.spent, rounds: state.spent.rounds + (first === null ? 1 : 0) };
  const counted = { ...state, spent };
  const end = endOfRun(report, state.round);
  if (end !== null) return ended({ ...counted, last: report }, end);
  if (first !== null) return onTestedAgain(counted, phase, first, report);
  if (report.verdict === 'passed') return { ...counted, phase: { at: 'confirming', base, trial, report } };
  // With other patches at hand a report that says nothing new costs nothing to leave behind.
  if (sameAsLast(state, report) && trial.rest.length === 0)
    return { ...counted, phase: { ...phase, first: report } };
  return conclude(counted, phase, report, '');
}

function onTestedAgain(state: RepairState, phase: At<'testing'>, first: Report, report: Report): RepairState {
  const { flaky } = state;
  if (fingerprint(first, flaky) !== fingerprint(report, flaky)) {
    // The first run is held against the patch: a test that only sometimes passes is not repaired.
    const unsteady = unsteadyIds(first, report).filter((id) => !flaky.includes(id));
    const named = unsteady.length > 0 ? `: ${unsteady.slice(0, 3).join(', ')}` : '';
    const known = { ...state, unsteady: [...new Set([...state.unsteady, ...unsteady])] };
    return conclude(known, phase, first, `; two runs of this patch differ${named}`);
  }
  const noted = noteTrial(state, phase.trial, 'the tests fail exactly as before');
  return giveUp({ ...noted, last: first }, phase.base, {
    status: 'stuck',
    why: 'same_report',
    detail: `round ${state.round} fails exactly as the round before, twice`,
  });
}

const sameAsLast = (state: RepairState, report: Report) =>
  state.last !== null && fingerprint(state.last, state.flaky) === fingerprint(report, state.flaky);

/**
 * A red round is over: keep the patch as the new ground or take it back, remember the best, try the next.
 * `doubt`: why the report cannot be relied upon, or empty; such a patch is no ground for another.
 */
function conclude(state: RepairState, phase: At<'testing'>, report: Report, doubt: string): RepairState {
  const { base, trial } = phase;
  const comparison = compare(base.report, report, state.flaky);
  const kept = keeps(comparison) && doubt === '' ? groundOf(base, trial, report) : null;
  const outcome = `${outcomeOf(comparison, report)}; ${kept === null ? 'taken back' : 'kept'}${doubt}`;
  const noted = noteTrial({ ...state, last: report }, trial, outcome);
  const better = kept === null ? noted : remember(noted, kept, null);
  if (trial.rest.length > 0) return tryNext(better, base, trial.rest);
  return tryNext(better, bestGround(better, base, kept), []);
}

const groundOf = (base: Base, trial: Applied, report: Report) => ({
  layers: layersOf(base, trial),
  diff: trial.diff,
  motivation: trial.motivation,
  report,
});

function remember(
  state: RepairState,
  ground: Base & { motivation: string },
  unconfirmed: string | null,
): RepairState {
  const failing = failingCount(ground.report, state.flaky);
  const before = state.baseline === null ? 0 : failingCount(state.baseline, state.flaky);
  const known = state.best;
  if (failing >= before) return state;
  if (known !== null && failing >= known.failing) return state;
  return { ...state, best: { ...ground, failing, unconfirmed } };
}

export function onConfirmed(
  state: RepairState,
  { base, trial }: At<'confirming'>,
  event: EventOf<'confirmed'>,
): RepairState {
  const { agreed, report, heldOut } = event;
  const counted = { ...state, confirmations: state.confirmations + 1, heldOut, last: report };
  const end = endOfRun(report, state.round);
  if (end !== null) return ended(counted, end);
  const ground = groundOf(base, trial, report);
  if (agreed) {
    const best = { ...ground, failing: 0, unconfirmed: null };
    const noted = noteTrial({ ...counted, best }, trial, 'all tests pass, confirmed');
    return ended(noted, { status: 'done' });
  }
  const comparison = compare(base.report, report, state.flaky);
  const outcome =
    report.verdict === 'passed'
      ? 'all visible tests pass, but the patch was not confirmed; taken back'
      : `passed once, but not when run again: ${outcomeOf(comparison, report)}; taken back`;
  const noted = noteTrial(counted, trial, outcome);
  const better = keeps(comparison) ? remember(noted, ground, disagreement(event)) : noted;
  if (counted.confirmations >= confirmationsAllowed)
    return giveUp(better, base, {
      status: 'stuck',
      why: 'unconfirmed',
      detail: `${counted.confirmations} patches passed the visible tests and none was confirmed`,
    });
  return tryNext(better, base, trial.rest);
}

const disagreement = ({ heldOut }: EventOf<'confirmed'>): string =>
  heldOut !== null && heldOut.passed < heldOut.total
    ? `${heldOut.total - heldOut.passed} of ${heldOut.total} held-out tests did not pass`
    : 'the tests did not pass when run again in a fresh sandbox';

/** The ends that one test run decides whatever the round. */
function endOfRun(report: Report, round: number): RepairEnd | null {
  if (report.verdict === 'tampered')
    return {
      status: 'tampered',
      detail: `the patch of round ${round} tampers with the tests: ${report.reason}`,
    };
  if (report.verdict === 'unavailable' || report.verdict === 'aborted')
    return environment(report.reason, 'run `assay doctor`: it names the one thing that is missing');
  return null;
}
