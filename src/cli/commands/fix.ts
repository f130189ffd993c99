import { type RepairEvent, repairEventSchema } from '../../core/index.ts';
import { runRepair } from '../../loop/index.ts';
import type { CliContext } from '../context.ts';
import type { ExitCode } from '../exit-codes.ts';
import { fixMany } from '../fix-many.ts';
import type { FixCliOptions } from '../fix-options.ts';
import { type OutputOptions, type Performed, type PerformOptions, performRun } from '../perform-run.ts';
import { type PreparedRun, prepareRun } from '../start-run.ts';
import { storeOf } from '../store-of.ts';

/** `assay fix [dirs...]` */
export async function fixCommand(
  context: CliContext,
  dirs: readonly string[],
  options: FixCliOptions,
): Promise<ExitCode> {
  const [only = '.', ...others] = dirs;
  if (others.length > 0) return fixMany(context, { dirs, options, fix: fixOne });
  return (await fixOne(context, await prepareRun(context, only, options), options)).code;
}

/** One run from its start to its result. */
async function fixOne(
  context: CliContext,
  { spec, proposers }: PreparedRun,
  output: OutputOptions,
  emit?: PerformOptions['emit'],
): Promise<Performed> {
  const run = await storeOf(context).create<RepairEvent>({
    kind: 'fix',
    spec,
    event: repairEventSchema,
    versions: { assay: context.version },
  });
  return performRun(context, {
    run,
    output,
    loop: (shared) => runRepair({ ...shared, spec, proposers }),
    ...(emit && { emit }),
  });
}
