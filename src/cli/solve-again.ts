import { type AnalysisEvent, AssayError } from '../core/index.ts';
import { type AnalysisState, foldAnalysis, resumeAnalysis } from '../loop/index.ts';
import type { CliContext } from './context.ts';
import { type ExitCode, exitCodes } from './exit-codes.ts';
import { inRun, OfRun } from './of-run.ts';
import { indentedLine } from './one-line.ts';
import type { OutputOptions } from './perform-run.ts';
import { checkThere } from './solve-data.ts';
import { kernelOpener } from './solve-kernel.ts';
import { makeModels } from './solve-models.ts';
import { performSolve } from './solve-perform.ts';
import { cutBefore, openAnalysis, readAnalysis } from './solve-read.ts';
import { renderSolve } from './solve-render.ts';
import { solveStory } from './solve-story.ts';

/** `assay resume RUN` of an analysis: with the models of its spec, and their keys in this environment. */
export async function resumeSolve(context: CliContext, id: string, output: OutputOptions): Promise<ExitCode> {
  const { run, events } = openAnalysis(context, id);
  const [first] = events;
  if (first?.type !== 'run_started') throw cutBefore(run.id);
  if (output.write) throw notOfAnalysis(run.id, '--write');
  const { dataDir } = first.spec;
  // Before a model is asked; what has ended needs no data.
  if (dataDir !== null && !events.some(({ type }) => type === 'run_ended'))
    inRun({ run: run.id, cut: true }, () => checkThere(dataDir));
  const modelOf = await makeModels(context, first.spec, { events });
  const openKernel = kernelOpener(context, first.spec, run.dir);
  return performSolve(context, {
    run,
    output,
    loop: (shared) => resumeAnalysis({ ...shared, modelOf, openKernel }),
  });
}

export type ShowSolveOptions = { json?: boolean; events?: boolean; patch?: boolean; alternatives?: boolean };

/** `assay show RUN` of an analysis, from its folder alone. */
export function showSolve(context: CliContext, id: string, options: ShowSolveOptions): ExitCode {
  const { terminal } = context;
  const { run, events, result, resumable } = readAnalysis(context, id);
  if (options.patch) throw notOfAnalysis(run.id, '--patch');
  if (options.alternatives) throw notOfAnalysis(run.id, '--alternatives');
  if (options.json) terminal.result(JSON.stringify(result));
  else if (options.events) for (const event of events) terminal.result(JSON.stringify(event));
  else {
    terminal.result(
      storyOf(events)
        .map((line) => indentedLine(line))
        .join('\n'),
    );
    terminal.result(`\n${renderSolve(result, { terminal, resumable })}`);
  }
  return exitCodes.ok;
}

function storyOf(events: readonly AnalysisEvent[]): string[] {
  const tell = solveStory();
  let state: AnalysisState | null = null;
  return events.flatMap((event) => {
    state = foldAnalysis(state, event);
    return tell(event, state);
  });
}

/** What only a repair has. */
export function notOfAnalysis(run: string, option: string): OfRun {
  const cause = new AssayError({
    code: 'usage',
    message: `${run} is an analysis, and ${option} is for patches`,
    fix: `assay show ${run} tells what it found and where its files are`,
  });
  return new OfRun({ run, cut: false, cause });
}
