import { doctor, printable } from '../../sandbox/index.ts';
import type { CliContext } from '../context.ts';
import { enforcementLine } from '../enforcement-line.ts';
import { type ExitCode, exitCodes } from '../exit-codes.ts';

/** `assay doctor`: tries the real sandbox once and says what holds, or the one cause and the one fix. */
export async function doctorCommand(
  { terminal }: CliContext,
  options: { json?: boolean },
): Promise<ExitCode> {
  const report = await doctor();
  if (options.json) terminal.result(JSON.stringify({ schema: 'assay-doctor/1', ...report }));
  else if (report.ok) {
    terminal.result(`${terminal.paint(['green', 'bold'], 'ready')}: ${enforcementLine(report.enforcement)}`);
  } else {
    terminal.result(
      `${terminal.paint(['red', 'bold'], 'not ready')}: ${printable(report.unavailable.cause)}`,
    );
    terminal.result(`fix: ${printable(report.unavailable.fix)}`);
  }
  return report.ok ? exitCodes.ok : exitCodes.environment;
}
