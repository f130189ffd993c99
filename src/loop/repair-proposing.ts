import type { Proposed, RepairEnd } from '../core/index.ts';
import { toldRefusal } from '../patch/index.ts';
import type { Applied, Base, EventOf, RepairState } from './repair-state.ts';
import { type At, ask, giveUp, noteTrial, tryNext } from './repair-steps.ts';
import { isLastStage, stageWall } from './stages.ts';
import { environment } from './standing.ts';

/** Proposals in a row that cost no test round, and times one refused patch may come. */
const unpatchableAt = 3;

export function onProposed(state: RepairState, { base }: At<'proposing'>, proposed: Proposed): RepairState {
  switch (proposed.kind) {
    case 'proposal': {
      const { motivation, edits, alternatives } = proposed;
      const trial = { motivation, edits, rest: alternatives, first: true };
      return { ...state, phase: { at: 'applying', base, trial } };
    }
    case 'no_proposal':
      return giveUp(state, base, endOfNoProposal(state, proposed));
    case 'malformed': {
      const refusal = {
        code: 'malformed' as const,
        path: '',
        edit: null,
        message: proposed.problem,
        near: [],
      };
      return unpatchable(
        { ...state, malformed: state.malformed + 1, refusals: [refusal], refused: [] },
        base,
        `malformed reply: ${proposed.problem.split('\n', 1)[0]}`,
      );
    }
  }
}

function endOfNoProposal(
  state: RepairState,
  proposed: Extract<Proposed, { kind: 'no_proposal' }>,
): RepairEnd {
  const { exhausted, reason } = proposed;
  const { because, need } = proposed;
  const told = { ...(because !== undefined && { because }), ...(need !== undefined && { need }) };
  if (exhausted === 'wall' && !isLastStage(state))
    return { status: 'budget_exhausted', which: 'wall', ...stageWall(state), ...told };
  if (exhausted !== null) {
    const which = exhausted === 'cost' ? 'costUsd' : exhausted === 'wall' ? 'wallMs' : exhausted;
    const used = state.spent[which] ?? 0;
    const limit = state.spec.limits[which] ?? used;
    return { status: 'budget_exhausted', which: exhausted, used, limit, ...told };
  }
  const problem = state.baseline?.problems[0];
  if (state.baseline?.tests.length === 0 && problem !== undefined && isLastStage(state)) {
    // A test file fails to load for what it imports, as a rule.
    const at = problem.frames.findLast(({ inProject }) => inProject);
    const file = at?.file ?? problem.file;
    const where = at === undefined ? `in ${file}` : `at ${file}:${at.line}`;
    return environment(
      `no test can be collected: ${problem.type} ${where}: ${problem.message}`,
      `make ${file} importable first`,
    );
  }
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
  const why = refusals.map(toldRefusal).join('; ');
  if (trial.rest.length > 0) return tryNext(noteTrial(state, trial, `not applied, ${why}`), base, trial.rest);
  const key = JSON.stringify(trial.edits);
  const times = (state.rejected[key] ?? 0) + 1;
  const told = times > 1 ? [...refusals, repeated(times)] : refusals;
  const rejected = { ...state.rejected, [key]: times };
  const counted = { ...state, refusals: told, refused: trial.edits, rejected };
  if (times >= unpatchableAt)
    return giveUp(counted, base, {
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
    return giveUp(state, base, {
      status: 'unpatchable',
      detail: `${inARow} proposals in a row could not be applied; the last: ${why}`,
    });
  return ask({ ...state, unpatchable: inARow }, base);
}

export function onApplied(
  state: RepairState,
  { base, trial }: At<'applying'>,
  event: EventOf<'applied'>,
): RepairState {
  const applied: Applied = { ...trial, diff: event.diff, state: event.state };
  const ready = { ...state, refusals: [], refused: [], unpatchable: 0 };
  // An empty diff is the pristine project again: the baseline's state.
  if (event.diff === '' || state.seen.includes(event.state)) {
    const noted = noteTrial(ready, trial, 'the same files as in an earlier round');
    if (trial.rest.length > 0) return tryNext(noted, base, trial.rest);
    return giveUp(noted, base, {
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
