import type { RepairEvent } from '../../core/index.ts';
import { printable } from '../../sandbox/index.ts';
import type { CliContext } from '../context.ts';
import { describeEvent } from '../describe-event.ts';
import { type ExitCode, exitCodes } from '../exit-codes.ts';
import { nextOf, withAdvice } from '../next-steps.ts';
import { oneLine } from '../one-line.ts';
import { readResult } from '../read-run.ts';
import { paintDiff, renderFix, standingOf } from '../render-fix.ts';
import { kindOfRun } from '../run-kind.ts';
import { showSolve } from '../solve-again.ts';

export type ShowCliOptions = { json?: boolean; events?: boolean; patch?: boolean; alternatives?: boolean };

/** `assay show RUN`: what a run did, from its folder alone. */
export async function showCommand(
  context: CliContext,
  id: string,
  options: ShowCliOptions,
): Promise<ExitCode> {
  const { terminal } = context;
  if (kindOfRun(context, id) === 'solve') return showSolve(context, id, options);
  const { events, result, state } = await readResult(context, id);
  const next = nextOf(context, state, result);
  if (options.json) terminal.result(JSON.stringify(withAdvice(result, next)));
  else if (options.events) for (const event of events) terminal.result(JSON.stringify(event));
  else if (options.patch) {
    if (result.patch === null) terminal.say(`${result.run} has no patch`);
    else terminal.result(terminal.color ? paintDiff(printable(result.patch), terminal) : result.patch);
  } else if (options.alternatives) {
    if (result.alternatives.length === 0) terminal.say(`${result.run} found no other patch`);
    for (const { motivation, diff } of result.alternatives)
      terminal.result(
        `${terminal.paint('bold', oneLine(motivation))}\n\n${paintDiff(printable(diff), terminal)}\n`,
      );
  } else {
    terminal.result(story(events).join('\n'));
    const resumable = state.phase.at !== 'ended';
    const shown = { standing: standingOf(state), resumable, next };
    terminal.result(`\n${renderFix(result, { terminal, written: false, ...shown })}`);
  }
  return exitCodes.ok;
}

/** The steps in a line each; batches of candidates are summed up by what came of them. */
function story(events: readonly RepairEvent[]): string[] {
  return events.flatMap((event) => describeEvent(event) ?? []).map((line) => oneLine(line));
}
