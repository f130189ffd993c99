import type { Report, TestResult } from '../core/index.ts';
import type { Feedback } from '../propose/index.ts';
import { leftOf } from './budget.ts';
import type { RepairState } from './repair-state.ts';
import { groupFailures, isFailing } from './stagnation.ts';

/**
 * What the proposer is told, built anew from the state each round. The report is the one of the ground its edits
 * are laid on, so that traces and files belong together; what a patch that was taken back did is told by its
 * attempt. Nothing of a confirmation's held-out tests is in the state's reports, so nothing of them is here.
 */
export function feedbackOf(state: RepairState): Feedback {
  if (state.phase.at !== 'proposing') throw new Error(`no feedback is due while ${state.phase.at}`);
  const { base } = state.phase;
  const { report } = base;
  const failing = [...report.tests.filter(isFailing), ...unfinished(report)].filter(
    ({ id }) => !state.flaky.includes(id),
  );
  return {
    task: state.spec.task,
    round: state.round,
    roundsLeft: leftOf(state.spec.limits, state.spent).rounds,
    report,
    failing,
    groups: groupFailures(failing).map((group) => group.map(({ id }) => id)),
    flaky: state.flaky,
    diff: base.diff,
    attempts: state.tried,
    refusals: state.refusals,
    ...(state.refused.length > 0 && { refused: state.refused }),
    steering: state.steering,
    malformedReplies: state.malformed,
    toolsRefused: state.toolsRefused,
  };
}

/** Tests that should have run and left no result: a hang, a crash or an import error kept them from their end. */
function unfinished(report: Report): TestResult[] {
  const seen = new Set(report.tests.map(({ id }) => id));
  return report.integrity.missing
    .filter((id) => !seen.has(id))
    .map((id) => ({
      id,
      file: id.split('::', 1)[0] ?? id,
      line: null,
      status: 'error',
      durationMs: 0,
      failure: { type: 'NotFinished', message: report.reason, trace: '', frames: [] },
      skipReason: null,
      stdout: '',
      stderr: '',
    }));
}
