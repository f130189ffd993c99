import { type AnalysisEvent, analysisEventSchema } from '../../core/index.ts';
import { runAnalysis } from '../../loop/index.ts';
import type { CliContext } from '../context.ts';
import type { ExitCode } from '../exit-codes.ts';
import { kernelOpener } from '../solve-kernel.ts';
import type { SolveCliOptions } from '../solve-options.ts';
import { performSolve } from '../solve-perform.ts';
import { prepareSolve } from '../solve-prepare.ts';
import { storeOf } from '../store-of.ts';

/** `assay solve TASK.md` */
export async function solveCommand(
  context: CliContext,
  taskFile: string,
  options: SolveCliOptions,
): Promise<ExitCode> {
  const { spec, modelOf } = await prepareSolve(context, taskFile, options);
  const run = await storeOf(context).create<AnalysisEvent>({
    kind: 'solve',
    spec,
    event: analysisEventSchema,
    versions: { assay: context.version },
  });
  const openKernel = kernelOpener(context, spec, run.dir);
  return performSolve(context, {
    run,
    output: options,
    loop: (shared) => runAnalysis({ ...shared, spec, modelOf, openKernel }),
  });
}
