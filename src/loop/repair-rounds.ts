import type { Proposed, RepairEnd, Report } from '../core/index.ts';
import {
  type Applied,
  type Base,
  type EventOf,
  layersOf,
  type Phase,
  type RepairState,
  type Trial,
} from './repair-state.ts';
import { fingerprint } from './stagnation.ts';
import { compare, environment, failingCount, keeps, outcomeOf, unsteadyIds } from './standing.ts';

/** Proposals in a row that cost no test round, and times one refused patch may come. */
const unpatchableAt = 3;
/** More could be used to ask the held-out tests questions. */
const confirmationsAllowed = 3;

type At<P extends Phase['at']> = Extract<Phase, { at: P }>;

export function onProposed(state: RepairState, { base }: At<'proposing'>, proposed: Proposed): RepairState {
  switch (proposed.kind) {
    case 'proposal': {
      const { motivation, edits, alternatives } = proposed;
      const trial = { motivation, edits, rest: alternatives, first: true };
      return { ...state, phase: { at: 'applying', base, trial } };
    }
    case 'no_proposal':
      return ended(state, endOfNoProposal(state, proposed));
    case 'malformed': {
      const refusal = {
        code: 'malformed' as const,
        path: '',
        edit: null,
        message: proposed.problem,
        near: [],
      };
      return unpatchable({ ...state, refusals: [refusal] }, base, `malformed reply: ${proposed.problem}`);
    }
  }
}

function endOfNoProposal(
  state: RepairState,
  proposed: Extract<Proposed, { kind: 'no_proposal' }>,
): RepairEnd {
  const { exhausted, reason } = proposed;
  if (exhausted !== null) {
    const which = exhausted === 'cost' ? 'costUsd' : exhausted === 'wall' ? 'wallMs' : exhausted;
    const used = state.spent[which] ?? 0;
    return { status: 'budget_exhausted', which: exhausted, used, limit: state.spec.limits[which] ?? used };
  }
  const problem = state.baseline?.problems[0];
  if (state.baseline?.tests.length === 0 && problem !== undefined)
    return environment(
      `no test can be collected: ${problem.type} in ${problem.file}: ${problem.message}`,
      `make ${problem.file} importable first`,
    );
  if (state.confirmations > 0)
    return {
      status: 'stuck',
      why: 'unconfirmed',
      detail: `no patch that passed was confirmed, and ${reason}`,
    };
  return { status: 'stuck', why: 'no_proposal', detail: reason };
}

export function onRefused(
  state: RepairState,
  { base, trial }: At<'applying'>,
  { refusals }: EventOf<'refused'>,
): RepairState {
  const why = refusals.map(({ path, message }) => `${path}: ${message}`).join('; ');
  if (trial.rest.length > 0) return tryNext(noteTrial(state, trial, `not applied, ${why}`), base, trial.rest);
  const key = JSON.stringify(trial.edits);
  const times = (state.rejected[key] ?? 0) + 1;
  const told = times > 1 ? [...refusals, repeated(times)] : refusals;
  const counted = { ...state, refusals: told, rejected: { ...state.rejected, [key]: times } };
  if (times >= unpatchableAt)
    return ended(counted, {
      status: 'unpatchable',
      detail: `the same patch was refused ${times} times: ${why}`,
    });
  return unpatchable(counted, base, `patch refused: ${why}`);
}

const repeated = (times: number) => ({
  code: 'malformed' as const,
  path: '',
  edit: null,
  message: `this very patch has been refused ${times} times now; one more ends the run: propose another`,
  near: [],
});

/** One more proposal that cost no test round. */
function unpatchable(state: RepairState, base: Base, why: string): RepairState {
  const inARow = state.unpatchable + 1;
  if (inARow >= unpatchableAt)
    return ended(state, {
      status: 'unpatchable',
      detail: `${inARow} proposals in a row could not be applied; the last: ${why}`,
    });
  return { ...state, unpatchable: inARow, phase: { at: 'proposing', base } };
}

export function onApplied(
  state: RepairState,
  { base, trial }: At<'applying'>,
  event: EventOf<'applied'>,
): RepairState {
  const applied: Applied = { ...trial, diff: event.diff, state: event.state };
  const ready = { ...state, refusals: [], unpatchable: 0 };
  // An empty diff is the pristine project again: the baseline's state.
  if (event.diff === '' || state.seen.includes(event.state)) {
    const noted = noteTrial(ready, trial, 'the same files as in an earlier round');
    if (trial.rest.length > 0) return tryNext(noted, base, trial.rest);
    return ended(noted, {
      status: 'stuck',
      why: 'seen_state',
      detail: `round ${state.round} proposes files that were tested before`,
    });
  }
  const offered = event.alternatives ?? state.alternatives;
  const alternatives = offered.filter(({ diff }) => diff !== event.diff);
  const seen = [...state.seen, event.state];
  return { ...ready, seen, alternatives, phase: { at: 'testing', base, trial: applied, first: null } };
}

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
  return ended(
    { ...noted, last: first },
    {
      status: 'stuck',
      why: 'same_report',
      detail: `round ${state.round} fails exactly as the round before, twice`,
    },
  );
}

const sameAsLast = (state: RepairState, report: Report) =>
  state.last !== null && fingerprint(state.last, state.flaky) === fingerprint(report, state.flaky);

/** A red round is over: keep the patch as the new ground or take it back, remember the best, try the next. */
function conclude(state: RepairState, phase: At<'testing'>, report: Report, note: string): RepairState {
  const { base, trial } = phase;
  const comparison = compare(base.report, report, state.flaky);
  const kept = keeps(comparison) ? groundOf(base, trial, report) : null;
  const outcome = `${outcomeOf(comparison, report)}; ${kept === null ? 'taken back' : 'kept'}${note}`;
  const noted = noteTrial({ ...state, last: report }, trial, outcome);
  const better = kept === null ? noted : remember(noted, kept, false);
  if (trial.rest.length > 0) return tryNext(better, base, trial.rest);
  return tryNext(better, bestGround(better, base, kept), []);
}

const groundOf = (base: Base, trial: Applied, report: Report) => ({
  layers: layersOf(base, trial),
  diff: trial.diff,
  motivation: trial.motivation,
  report,
});

/** The patch just kept unless an earlier one of the same proposal was better; else the ground as it was. */
function bestGround(state: RepairState, base: Base, kept: Base | null): Base {
  const count = (ground: Base) => failingCount(ground.report, state.flaky);
  const best = state.best?.unconfirmed === false ? state.best : null;
  if (kept !== null && (best === null || count(kept) <= best.failing)) return kept;
  return best !== null && best.failing < count(base) ? best : base;
}

function remember(
  state: RepairState,
  ground: Base & { motivation: string },
  unconfirmed: boolean,
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
    const best = { ...ground, failing: 0, unconfirmed: false };
    const noted = noteTrial({ ...counted, best }, trial, 'all tests pass, confirmed');
    return ended(noted, { status: 'done' });
  }
  const comparison = compare(base.report, report, state.flaky);
  const outcome =
    report.verdict === 'passed'
      ? 'all visible tests pass, but the patch was not confirmed; taken back'
      : `passed once, but not when run again: ${outcomeOf(comparison, report)}; taken back`;
  const noted = noteTrial(counted, trial, outcome);
  const better = keeps(comparison) ? remember(noted, ground, true) : noted;
  if (counted.confirmations >= confirmationsAllowed)
    return ended(better, {
      status: 'stuck',
      why: 'unconfirmed',
      detail: `${counted.confirmations} patches passed the visible tests and none was confirmed`,
    });
  return tryNext(better, base, trial.rest);
}

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

/** Next: another patch of the same proposal, else a new proposal; each is a round of its own. */
function tryNext(state: RepairState, base: Base, rest: Trial['rest']): RepairState {
  const { rounds } = state.spent;
  const limit = state.spec.limits.rounds;
  if (rounds >= limit)
    return ended(state, { status: 'budget_exhausted', which: 'rounds', used: rounds, limit });
  const round = rounds + 1;
  const [alternative, ...others] = rest;
  if (alternative === undefined) return { ...state, round, phase: { at: 'proposing', base } };
  return {
    ...state,
    round,
    phase: { at: 'applying', base, trial: { ...alternative, rest: others, first: false } },
  };
}

const noteTrial = (state: RepairState, { motivation, edits }: Trial, outcome: string): RepairState => ({
  ...state,
  tried: [...state.tried, { round: state.round, motivation, outcome, edits }],
});

const ended = (state: RepairState, end: RepairEnd): RepairState => ({
  ...state,
  phase: { at: 'ended', end },
});
