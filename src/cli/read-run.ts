import { AssayError, type RepairEvent, type RepairResult } from '../core/index.ts';
import { foldRepair, type RepairState, resultOf } from '../loop/index.ts';
import type { Run } from '../store/index.ts';
import type { CliContext } from './context.ts';
import { OfRun } from './of-run.ts';
import { openRun } from './open-run.ts';

export type ReadRun = {
  run: Run<RepairEvent>;
  events: RepairEvent[];
  state: RepairState;
  result: RepairResult;
};

/**
 * A repair run as its folder tells it: everything is a fold of its events.
 * @throws as `openRun`
 */
export async function readResult(context: CliContext, id: string): Promise<ReadRun> {
  const { run, events } = openRun(context, id);
  let state: RepairState | null = null;
  for (const event of events) state = foldRepair(state, event);
  if (state === null) {
    const cause = new AssayError({
      code: 'input',
      message: `${run.id} was cut before it began: its journal is empty.`,
      fix: `start it again; \`assay runs prune\` removes what is left`,
    });
    throw new OfRun({ run: run.id, cut: false, cause });
  }
  const result = resultOf({ state, run: run.id, dir: run.dir });
  if (state.phase.at === 'ended' || !run.live) return { run, events, state, result };
  const running = { ...result, status: 'running', reason: 'a process works on it now' };
  return { run, events, state, result: running };
}
