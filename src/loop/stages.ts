import type { RepairEnd, RepairSpec } from '../core/index.ts';
import { type Left, leftOf } from './budget.ts';
import type { RepairState } from './repair-state.ts';

/** The ids of the proposers that take over from one another. */
export const stagesOf = ({ proposer }: Pick<RepairSpec, 'proposer'>): string[] =>
  proposer.split(',').map((id) => id.trim());

export const isLastStage = ({ spec, stage }: RepairState): boolean => stage >= stagesOf(spec).length - 1;

/** A stage that is not the last may take this share of the wall limit, so that those after it have most of the time. */
const mostOfWall = 1 / 3;

/** Wall time of the stage in milliseconds: what it has used, and what it may use; the last one may use what is left. */
export function stageWall({ spec, spent, stage, stageStart }: RepairState): { used: number; limit: number } {
  const stages = stagesOf(spec).length;
  const share = Math.min(mostOfWall, 1 / stages) * spec.limits.wallMs;
  const rest = spec.limits.wallMs - stageStart.wallMs;
  return {
    used: spent.wallMs - stageStart.wallMs,
    limit: stage >= stages - 1 ? rest : Math.min(share, rest),
  };
}

/** What is left for the proposer of this stage. */
export function stageLeft(state: RepairState): Left {
  const left = leftOf(state.spec.limits, state.spent);
  const { used, limit } = stageWall(state);
  return { ...left, wallMs: Math.min(left.wallMs, Math.max(0, limit - used)) };
}

/** An end of one stage's own making, after which another proposer may still do better. */
export function endsStageOnly(end: RepairEnd, { spent, spec }: RepairState): boolean {
  switch (end.status) {
    case 'stuck':
    case 'unpatchable':
      return true;
    case 'budget_exhausted':
      if (end.which === 'wall') return spent.wallMs < spec.limits.wallMs;
      return end.which === 'candidates';
    case 'done':
    case 'already_green':
    case 'tampered':
    case 'environment_error':
    case 'aborted':
    case 'error':
      return false;
  }
}
