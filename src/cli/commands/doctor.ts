import type { Enforcement } from '../../core/index.ts';
import { enforcementLine } from '../../lab/index.ts';
import { doctor, printable } from '../../sandbox/index.ts';
import type { CliContext } from '../context.ts';
import { type ExitCode, exitCodes } from '../exit-codes.ts';
import type { Terminal } from '../terminal.ts';

/** `assay doctor`: tries the real sandbox once and says what holds, or the one cause and the one fix. */
export async function doctorCommand(
  { terminal }: CliContext,
  options: { json?: boolean },
): Promise<ExitCode> {
  const report = await doctor();
  if (options.json) terminal.result(JSON.stringify({ schema: 'assay-doctor/1', ...report }));
  else if (report.ok) {
    sayEnforced(terminal, terminal.paint(['green', 'bold'], 'ready'), report.enforcement);
  } else {
    terminal.result(
      `${terminal.paint(['red', 'bold'], 'not ready')}: ${printable(report.unavailable.cause)}`,
    );
    terminal.result(`fix: ${printable(report.unavailable.fix)}`);
    if (report.relaxed !== undefined) sayEnforced(terminal, 'with --no-strict', report.relaxed);
  }
  return report.ok ? exitCodes.ok : exitCodes.environment;
}

function sayEnforced(terminal: Terminal, heading: string, enforcement: Enforcement): void {
  terminal.result(`${heading}: ${enforcementLine({ ...enforcement, notes: [] })}`);
  for (const note of enforcement.notes) terminal.result(`  note: ${printable(note)}`);
}
