import { Argument, Command, Option } from 'commander';
import type { ApplyCliOptions } from './commands/apply.ts';
import type { LabCliOptions } from './commands/lab.ts';
import type { PruneCliOptions } from './commands/runs.ts';
import type { ShowCliOptions } from './commands/show.ts';
import type { CliContext } from './context.ts';
import type { ExitCode } from './exit-codes.ts';
import type { FixCliOptions } from './fix-options.ts';
import {
  bytes,
  collect,
  memory,
  ofSubtask,
  positiveInteger,
  positiveNumber,
  price,
  wholeNumber,
} from './parse-options.ts';
import type { OutputOptions } from './perform-run.ts';
import type { SolveCliOptions } from './solve-options.ts';

const frameworks = ['pytest', 'unittest', 'node-test'];
const runId = 'its id, the beginning of its id, or latest';
const writeText = 'write a confirmed patch to your files, if they have not changed meanwhile';

type Finish = (code: ExitCode) => void;

/**
 * The command line as commander sees it. `finish` is told the exit code of the command that ran.
 * Commands are imported when they run: help and wrong usage need none of the rooms below, which take most of the time.
 */
export function buildProgram(context: CliContext, finish: Finish): Command {
  const program = new Command('assay')
    .description('Code agents whose every claim is checked by running code.')
    .version(context.version, '-V, --version')
    .showHelpAfterError('(assay --help, or assay COMMAND --help, lists what there is)')
    .enablePositionalOptions()
    .addHelpText('after', helpEnd);
  addFix(program, context, finish);
  addSolve(program, context, finish);
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

const helpEnd = `
Start with assay doctor, then assay fix DIR, assay lab DIR or assay solve
TASK.md; docs/fix.md, docs/lab.md and docs/solve.md tell more.

Exit codes: 0 done, already green, complete or passed; 1 error; 2 wrong usage;
3 stuck; 4 out of budget, retries or turns; 5 unpatchable; 6 tampered; 7 the
machine or the project lacks something; 8 tests failed (lab) or checks failed
(solve); 130 interrupted.`;

/** Options that tell the lab how to run a project's tests. */
function withTests(command: Command): Command {
  return command
    .option('--test <command>', 'test command, e.g. "python3 -m pytest tests/unit" (default: found out)')
    .addOption(new Option('--framework <name>', 'test framework (default: found out)').choices(frameworks))
    .addOption(
      new Option('--protect <glob>', 'files no patch may touch, beside tests; repeatable').argParser(collect),
    )
    .option('--setup <command>', 'run once in the sandbox before the tests, e.g. to generate code')
    .option('--per-test <seconds>', 'time for one test, which then fails (default: 30)', positiveNumber)
    .option('--trust-collected', 'where no test ids are known beforehand, take those a run collects')
    .option('--no-strict', 'run although this machine cannot enforce a limit (never without a sandbox)');
}

function withRunOutput(command: Command): Command {
  return command
    .addOption(new Option('--json', 'print the result as one JSON object').conflicts('events'))
    .option('--events', 'print each event as a line of JSON when it happens');
}

function addFix(program: Command, context: CliContext, finish: Finish): void {
  const fix = program
    .command('fix')
    .description('make a red test suite green: propose a patch, run the tests in a sandbox, again')
    .argument('[dirs...]', 'folders of projects, one run for each in turn (default: this folder)')
    .addHelpText('after', fixHelpEnd);
  withTests(fix)
    .option('--task <text>', 'what is meant to work, in words, for a model')
    .option('--rounds <n>', 'patches to test at most (default: 5)', positiveInteger)
    .option('--timeout <seconds>', 'time for the whole run (default: 600)', positiveNumber)
    .option('--test-timeout <seconds>', 'time for one test run (default: from the first)', positiveNumber)
    .option('--max-candidates <n>', 'candidates the search may judge', positiveInteger)
    .addOption(
      new Option('--holdout <glob>', 'tests no proposer sees, run to confirm; repeatable').argParser(collect),
    )
    .option('--write', writeText)
    .option('--keep-going', 'of several folders, try all: not done is no reason to stop')
    .option('--seed <n>', 'for proposers that choose at random', positiveInteger, 1);
  withModels(fix);
  withRunOutput(fix).action(async (dirs: string[], options: FixCliOptions) =>
    finish(await (await import('./commands/fix.ts')).fixCommand(context, dirs, options)),
  );
  const resume = program
    .command('resume')
    .description('go on with a run that was interrupted or killed, or waits for a model')
    .argument('<run>', runId)
    .option('--write', writeText);
  withRunOutput(resume).action(async (run: string, options: OutputOptions) =>
    finish(await (await import('./commands/resume.ts')).resumeCommand(context, run, options)),
  );
}

const fixHelpEnd = `
Models are openai/NAME, anthropic/NAME, google/NAME, with the key in the usual
environment variable, and openai-compatible/NAME with --base-url for Ollama,
vLLM, llama.cpp and the like. Without a model no source leaves this machine.

Defaults can stand in assay.config.json (or .ts) in the project, and in
~/.config/assay/config.json: the names of these options in camelCase.

Of several folders each has the limits for itself. The exit code is the worst:
interrupted, error, usage, environment, tampered, unpatchable, stuck, out of
budget, done.`;

/** Options that say who proposes, and what it may cost. */
function withModels(command: Command): Command {
  command
    .option(
      '--model <ids>',
      'who proposes: search (no model, the default), provider/model, replay:FILE; several, divided by commas, take over from one another when stuck',
    )
    .addOption(
      new Option(
        '--patch-transport <way>',
        'how a model gives its patch: by a tool call, or in text',
      ).choices(['auto', 'tool', 'text']),
    );
  return withModelCosts(command);
}

/** Where a model is asked, and what it may cost. */
function withModelCosts(command: Command): Command {
  return command
    .option('--base-url <url>', "a model's server, instead of the provider's own (or ASSAY_BASE_URL)")
    .option('--max-tokens <n>', 'tokens the models may use', positiveInteger)
    .option('--max-cost <usd>', 'what the models may cost', positiveNumber)
    .addOption(
      new Option(
        '--price <in,out>',
        'what a model costs in USD for a million tokens, where assay does not know; MODEL=IN,OUT with several models',
      ).argParser(price),
    )
    .option('--max-output-tokens <n>', 'tokens of one reply at most (default: 16000)', positiveInteger)
    .option('--context-tokens <n>', 'tokens a model takes (default: as known)', positiveInteger)
    .option('--record <file>', 'write what was proposed, or said by a model, to a new file, for replay:FILE');
}

function addSolve(program: Command, context: CliContext, finish: Finish): void {
  const solve = program
    .command('solve')
    .description('let a model work on a task with data: it runs code in a kernel, and leaves a notebook')
    .argument('<task>', 'text file that says what to find out; several headings make several subtasks')
    .addHelpText('after', solveHelpEnd)
    .option('--data <dir>', 'folder or file to work on; it is copied, and never written')
    .option('--model <id>', 'who works: provider/model, or replay:FILE')
    .addOption(
      new Option('--model-for <n=id>', 'another model for subtask N, or plan=ID; repeatable').argParser(
        ofSubtask,
      ),
    )
    .addOption(
      new Option('--instructions <n=file>', 'what to keep to in subtask N; repeatable').argParser(ofSubtask),
    )
    .option('--plan', 'let the model split the task into subtasks first')
    .option('--checks <file>', 'cells of assertions, divided by lines "# %% name", run at the end')
    .option('--kernel <name>', 'an installed Jupyter kernel (default: python3)')
    .addOption(
      new Option('--runtime <name>', 'where the kernel runs').choices(['jupyter', 'e2b']).default('jupyter'),
    )
    .option('--network', 'let the code reach the network (e2b only)')
    .option('--images', 'show figures to the model (default: to the models of the large providers)')
    .option('--no-images', 'tell figures to the model in words only')
    .option('--max-retries <n>', 'new tries after a failed cell, in a row', wholeNumber, 3)
    .option('--max-turns <n>', 'replies of the model in one subtask', positiveInteger, 30)
    .option('--timeout <seconds>', 'time for the whole run', positiveNumber, 3_600)
    .option('--cell-timeout <seconds>', 'time for one cell', positiveNumber, 300)
    .option('--memory <size>', 'memory of the kernel, e.g. 4G (default: 2G)', memory)
    .option('--no-strict', 'run although this machine cannot enforce a limit (never without a sandbox)')
    .option('--seed <n>', 'for what is chosen at random', positiveInteger, 1);
  withModelCosts(solve);
  withRunOutput(solve).action(async (task: string, options: SolveCliOptions) =>
    finish(await (await import('./commands/solve.ts')).solveCommand(context, task, options)),
  );
}

const solveHelpEnd = `
The model gets the task, the names of the data files and what its cells print.
Its code runs here, in a sandbox without network. On a terminal, a line typed
while it works reaches it at its next turn. docs/solve.md tells more.`;

function addLab(program: Command, context: CliContext, finish: Finish): void {
  const lab = program
    .command('lab')
    .description('run the tests once, isolated, and report what can be believed')
    .argument('[target]', 'folder of a project, a job file, or - for a job on standard input', '.');
  withTests(lab)
    .addOption(new Option('--judge <kind>', 'who compares').choices(['hardened']).default('hardened'))
    .option('--expect <file>', 'test ids that must all pass, one per line')
    .option('--timeout <seconds>', 'time for the test run (default: 300)', positiveNumber)
    .option('--memory <size>', 'memory for the test run, e.g. 500M (default: 2G)', memory)
    .option('--ctrf <file>', 'also write the report as CTRF JSON')
    .option('--junit <file>', 'also write the report as JUnit XML')
    .option('--json', 'print the report as one JSON object')
    .action(async (target: string, options: LabCliOptions) =>
      finish(await (await import('./commands/lab.ts')).labCommand(context, target, options)),
    );
}

function addRuns(program: Command, context: CliContext, finish: Finish): void {
  const runs = program
    .command('runs')
    .description('list the runs, newest first; runs prune removes old ones')
    .option('--json', 'print one JSON object')
    .action(async (options: { json?: boolean }) =>
      finish(await (await import('./commands/runs.ts')).runsCommand(context, options)),
    );
  runs
    .command('prune')
    .description('remove old runs; never one that is going on')
    .option('--keep <n>', 'keep the newest N, and alone: remove all others', positiveInteger)
    .option('--older-than <days>', 'remove what is older', positiveNumber)
    .option('--max-size <size>', 'remove the oldest until the rest fits, e.g. 2G', bytes)
    .option('--json', 'print one JSON object')
    .action(async (_: unknown, command: Command) =>
      finish(
        await (await import('./commands/runs.ts')).pruneCommand(
          context,
          command.optsWithGlobals<PruneCliOptions>(),
        ),
      ),
    );
  program
    .command('show')
    .description('what a run did, and its result')
    .addArgument(new Argument('[run]', runId).default('latest'))
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
    .addOption(new Option('--patch', 'print the patch alone, for git apply').conflicts('alternatives'))
    .option('--alternatives', 'print the other patches that passed')
    .action(async (run: string, options: ShowCliOptions) =>
      finish(await (await import('./commands/show.ts')).showCommand(context, run, options)),
    );
  program
    .command('apply')
    .description("write a run's patch to your files, if they are as they were at its start")
    .argument('<run>', runId)
    .option('--force', 'also a patch that does not make everything pass')
    .addOption(
      new Option('--undo', 'take the patch out again, if the files are as it left them').conflicts('force'),
    )
    .option('--json', 'print one JSON object')
    .action(async (run: string, options: ApplyCliOptions) =>
      finish(await (await import('./commands/apply.ts')).applyCommand(context, run, options)),
    );
}
