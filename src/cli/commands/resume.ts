import { AssayError } from '../../core/index.ts';
import { resumeRepair } from '../../loop/index.ts';
import type { CliContext } from '../context.ts';
import type { ExitCode } from '../exit-codes.ts';
import { makeProposers } from '../make-proposers.ts';
import { OfRun } from '../of-run.ts';
import { openRun } from '../open-run.ts';
import { type OutputOptions, performRun } from '../perform-run.ts';
import { kindOfRun } from '../run-kind.ts';
import { resumeSolve } from '../solve-again.ts';

/** `assay resume RUN`: with the proposers of the run's spec, and for a model the key of this environment. */
export async function resumeCommand(
  context: CliContext,
  id: string,
  options: OutputOptions,
): Promise<ExitCode> {
  if (kindOfRun(context, id) === 'solve') return resumeSolve(context, id, options);
  const { run, events } = openRun(context, id);
  const [first] = events;
  if (first?.type !== 'run_started') {
    const cause = new AssayError({
      code: 'input',
      message: `${run.id} was cut before it began: its journal is empty.`,
      fix: 'start it again with assay fix',
    });
    throw new OfRun({ run: run.id, cut: false, cause });
  }
  const proposers = await makeProposers(context, first.spec, { events });
  const loop = (shared: Parameters<Parameters<typeof performRun>[1]['loop']>[0]) =>
    resumeRepair({ ...shared, proposers });
  return (await performRun(context, { run, output: options, loop })).code;
}
