import { AssayError, type RepairEvent, type RepairResult, repairEventSchema } from '../core/index.ts';
import { foldRepair, type RepairState, resultOf } from '../loop/index.ts';
import type { Run } from '../store/index.ts';
import type { CliContext } from './context.ts';
import { storeOf } from './store-of.ts';

export type ReadRun = {
  run: Run<RepairEvent>;
  events: RepairEvent[];
  state: RepairState;
  result: RepairResult;
};

/** A repair run as its folder tells it: everything is a fold of its events. */
export async function readResult(context: CliContext, id: string): Promise<ReadRun> {
  const run = storeOf(context).open(id, { event: repairEventSchema });
  const events = run.events().map((record) => record.event);
  let state: RepairState | null = null;
  for (const event of events) state = foldRepair(state, event);
  if (state === null) {
    throw new AssayError({
      code: 'input',
      message: `${run.id} was cut before it began: its journal is empty.`,
      fix: `start it again; \`assay runs prune\` removes what is left`,
    });
  }
  const result = resultOf({ state, run: run.id, dir: run.dir });
  if (state.phase.at === 'ended' || !run.live) return { run, events, state, result };
  const running = { ...result, status: 'running', reason: 'a process works on it now' };
  return { run, events, state, result: running };
}
