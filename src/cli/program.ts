import { Argument, Command, Option } from 'commander';
import { applyCommand } from './commands/apply.ts';
import { type FixCliOptions, fixCommand, resumeCommand } from './commands/fix.ts';
import { type LabCliOptions, labCommand } from './commands/lab.ts';
import { pruneCommand, runsCommand } from './commands/runs.ts';
import { type ShowCliOptions, showCommand } from './commands/show.ts';
import type { CliContext } from './context.ts';
import type { ExitCode } from './exit-codes.ts';
import { bytes, collect, positiveInteger, positiveNumber } from './parse-options.ts';

const frameworks = ['pytest', 'unittest', 'node-test'];

/** The command line as commander sees it. `finish` is told the exit code of the command that ran. */
export function buildProgram(context: CliContext, finish: (code: ExitCode) => void): Command {
  const program = new Command('assay')
    .description('Code agents whose every claim is checked by running code.')
    .version(context.version, '-V, --version')
    .showHelpAfterError('(assay --help, or assay COMMAND --help, lists what there is)')
    .enablePositionalOptions();
  addFix(program, context, finish);
  addLab(program, context, finish);
  addRuns(program, context, finish);
  program
    .command('doctor')
    .description('try the sandbox once: what is enforced here, or the one cause and the one fix')
    .option('--json', 'print one JSON object')
    .action(async (options: { json?: boolean }) =>
      finish(await (await import('./commands/doctor.ts')).doctorCommand(context, options)),
    );
  return program;
}

/** Options that tell the lab how to run a project's tests. */
function withTests(command: Command): Command {
  return command
    .option('--test <command>', 'the test command, e.g. "python -m pytest tests/unit"; default: found out')
    .addOption(new Option('--framework <name>', 'the test framework; default: found out').choices(frameworks))
    .option('--protect <glob>', 'never patch these files either (may be given again)', collect, [])
    .option('--setup <command>', 'run once in the sandbox before the tests, e.g. to build something')
    .option(
      '--trust-collected',
      'where test ids cannot be known beforehand, take those that the run collects',
    )
    .option('--no-strict', 'run although a limit cannot be enforced here (never without the sandbox itself)');
}

function withRunOutput(command: Command): Command {
  return command
    .addOption(new Option('--json', 'print one JSON object').conflicts('events'))
    .option('--events', 'print every event as a line of JSON, as it happens');
}

function addFix(program: Command, context: CliContext, finish: (code: ExitCode) => void): void {
  const fix = program
    .command('fix')
    .description('make a red test suite green: propose a patch, run the tests in a sandbox, again')
    .argument('[dir]', 'the project', '.');
  withTests(fix)
    .option('--task <text>', 'what is meant to work, in words')
    .option('--model <id>', 'who proposes: search (no model, the default), replay:FILE')
    .option('--record <file>', 'write what was proposed to FILE, for --model replay:FILE')
    .option('--rounds <n>', 'patches to try at most', positiveInteger, 5)
    .option('--timeout <seconds>', 'time for the whole run', positiveNumber, 600)
    .option('--test-timeout <seconds>', 'time for one test run; default: from the first run', positiveNumber)
    .option('--max-candidates <n>', 'candidates the search may judge', positiveInteger)
    .option('--max-tokens <n>', 'tokens a model may use', positiveInteger)
    .option('--max-cost <usd>', 'what a model may cost', positiveNumber)
    .option(
      '--holdout <glob>',
      'tests the proposer never sees, run to confirm (may be given again)',
      collect,
      [],
    )
    .option('--write', 'write a confirmed patch to your files, if they have not changed meanwhile')
    .option('--seed <n>', 'for proposers that choose at random', positiveInteger, 1);
  withRunOutput(fix).action(async (dir: string, options: FixCliOptions) =>
    finish(await fixCommand(context, dir, options)),
  );
  withRunOutput(
    program
      .command('resume')
      .description('go on with a run that was interrupted or killed')
      .argument('<run>', 'its id, the beginning of it, or latest')
      .option('--write', 'write a confirmed patch to your files, if they have not changed meanwhile'),
  ).action(async (run: string, options: FixCliOptions) => finish(await resumeCommand(context, run, options)));
}

function addLab(program: Command, context: CliContext, finish: (code: ExitCode) => void): void {
  const lab = program
    .command('lab')
    .description('run the tests once, isolated, and report what can be believed')
    .argument('[target]', 'a project, a job file, or - for a job on standard input', '.');
  withTests(lab)
    .addOption(new Option('--judge <kind>', 'who compares').choices(['hardened']).default('hardened'))
    .option('--expect <file>', 'test ids that must all pass, one per line')
    .option('--timeout <seconds>', 'time for the test run', positiveNumber)
    .option('--memory <size>', 'memory for the test run, e.g. 2G', bytes)
    .option('--ctrf <file>', 'write the report as CTRF JSON')
    .option('--junit <file>', 'write the report as JUnit XML')
    .option('--json', 'print one JSON object')
    .action(async (target: string, options: LabCliOptions) =>
      finish(await labCommand(context, target, options)),
    );
}

function addRuns(program: Command, context: CliContext, finish: (code: ExitCode) => void): void {
  const runs = program
    .command('runs')
    .description('list the runs, newest first')
    .option('--json', 'print one JSON object')
    .action(async (options: { json?: boolean }) => finish(await runsCommand(context, options)));
  runs
    .command('prune')
    .description('remove old runs; never one that is going on')
    .option('--keep <n>', 'keep the newest N', positiveInteger)
    .option('--older-than <days>', 'remove what is older', positiveNumber)
    .option('--max-size <size>', 'remove the oldest until the rest fits, e.g. 2G', bytes)
    .action(async (_: unknown, command: Command) =>
      finish(await pruneCommand(context, command.optsWithGlobals())),
    );
  program
    .command('show')
    .description('what a run did')
    .addArgument(new Argument('[run]', 'its id, the beginning of it, or latest').default('latest'))
    .addOption(
      new Option('--json', 'print the result as one JSON object').conflicts([
        'events',
        'patch',
        'alternatives',
      ]),
    )
    .addOption(
      new Option('--events', 'print every event as a line of JSON').conflicts(['patch', 'alternatives']),
    )
    .addOption(new Option('--patch', 'print the patch alone').conflicts('alternatives'))
    .option('--alternatives', 'print the other patches that passed')
    .action(async (run: string, options: ShowCliOptions) => finish(await showCommand(context, run, options)));
  program
    .command('apply')
    .description("write a run's patch to your files, if they are as they were at its start")
    .argument('<run>', 'its id, the beginning of it, or latest')
    .option('--force', 'also a patch that does not make everything pass')
    .action(async (run: string, options: { force?: boolean }) =>
      finish(await applyCommand(context, run, options)),
    );
}
