import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { AssayError, type Report } from '../../core/index.ts';
import {
  collect,
  type Expected,
  type FrameworkId,
  type LabLimits,
  openProject,
  type Project,
  renderReport,
  runLab,
  toCtrf,
  toJunit,
} from '../../lab/index.ts';
import { readProjectConfig, readUserConfig, settle } from '../config/index.ts';
import type { CliContext } from '../context.ts';
import { type ExitCode, exitCodeOfVerdict } from '../exit-codes.ts';
import { type JobSettings, materialise } from '../job-file.ts';
import { oneLine } from '../one-line.ts';
import { splitCommand } from '../split-command.ts';
import type { Terminal } from '../terminal.ts';
import { wrapRow } from '../wrap-row.ts';
import { checkWritable, writeWhole } from '../write-whole.ts';

export type LabCliOptions = {
  framework?: FrameworkId;
  test?: string;
  expect?: string;
  trustCollected?: boolean;
  protect?: string[];
  setup?: string;
  timeout?: number;
  perTest?: number;
  memory?: number;
  ctrf?: string;
  junit?: string;
  json?: boolean;
  strict: boolean;
};

/** Where to write the report beside standard output, absolute. */
type Exports = { ctrf?: string; junit?: string };

/** To collect the tests, where no time is given. */
const collectMs = 60_000;

/** What to run: the options of the command line before those of a job file. */
type Settings = Omit<JobSettings, 'protect' | 'expect'> & {
  expect: readonly string[] | undefined;
  protect: string[];
  strict: boolean;
  dir: string;
  /** What `dir` was made of, for people. */
  source: string;
  scratch: string;
};

/** `assay lab [dir | job.json | -]`: runs the tests in isolation once and prints the report. */
export async function labCommand(
  context: CliContext,
  target: string,
  options: LabCliOptions,
): Promise<ExitCode> {
  const { terminal } = context;
  const scratch = makeScratch();
  try {
    const exports = exportsOf(context, options);
    const report = await judge(context, await settingsOf(context, { target, options, scratch }));
    const failed = writeExports(exports, report);
    // One object for each call: where writing failed, that is what has to be told.
    if (!options.json) terminal.result(rendered(terminal, report));
    else if (failed === null) terminal.result(JSON.stringify(report));
    if (failed !== null) throw failed;
    return exitCodeOfVerdict(report.verdict);
  } finally {
    scratch.remove();
  }
}

function rendered(terminal: Terminal, report: Report): string {
  const wrap = (row: string, indent: number) => wrapRow(row, { columns: terminal.wrapAt, indent });
  return renderReport(report, { color: terminal.color, width: terminal.columns, wrap });
}

type Scratch = { dir: string; remove: () => void };

/** Removed whatever happens, a second Ctrl-C included. */
function makeScratch(): Scratch {
  const dir = makeFolder(path.join(os.tmpdir(), 'assay-lab-'));
  const remove = () => rmSync(dir, { recursive: true, force: true });
  process.once('exit', remove);
  return {
    dir,
    remove: () => {
      process.off('exit', remove);
      remove();
    },
  };
}

function makeFolder(prefix: string): string {
  try {
    return mkdtempSync(prefix);
  } catch (cause) {
    throw new AssayError({
      code: 'environment',
      message: `No folder can be made in ${os.tmpdir()}`,
      because: cause instanceof Error ? cause.message : String(cause),
      fix: 'set TMPDIR to a folder that this user can write to',
      cause,
    });
  }
}

async function settingsOf(
  context: CliContext,
  given: { target: string; options: LabCliOptions; scratch: Scratch },
): Promise<Settings> {
  const { target, options, scratch } = given;
  // The list comes first: a wrong one should not cost a set-up.
  const ids = options.expect === undefined ? null : readIds(path.resolve(context.cwd, options.expect));
  const { dir, source, settings: ofJob } = await materialise(context, target, scratch.dir);
  // A job says all of it by itself.
  const settings = dir === source ? await configured(context, dir, options) : ofJob;
  const protect = [...(options.protect ?? []), ...(settings.protect ?? [])];
  return {
    ...settings,
    ...options,
    expect: ids ?? settings.expect,
    protect,
    dir,
    source,
    scratch: scratch.dir,
  };
}

/** What the configurations say of how tests are run; the rest of them is about repairing. */
async function configured(
  { env, signal }: CliContext,
  dir: string,
  { strict }: LabCliOptions,
): Promise<JobSettings> {
  const project = await readProjectConfig({ dir, strict, signal });
  const { framework, test, setup, perTest, protect } = settle({
    given: {},
    project,
    user: readUserConfig(env),
  });
  return {
    protect,
    ...(framework === undefined ? {} : { framework }),
    ...(test === undefined ? {} : { test }),
    ...(setup === undefined ? {} : { setup }),
    ...(perTest === undefined ? {} : { perTest }),
  };
}

async function judge({ terminal, signal }: CliContext, settings: Settings): Promise<Report> {
  const { dir, scratch, protect, strict, framework, test, setup, timeout, perTest, memory } = settings;
  const project = await openProject({
    dir,
    scratch,
    protect,
    strict,
    signal,
    ...(framework === undefined ? {} : { framework }),
    ...(test === undefined ? {} : { testCommand: splitCommand(test) }),
    ...(setup === undefined ? {} : { setup }),
    ...(timeout === undefined ? {} : { setupMs: timeout * 1_000 }),
    onSetUp: (command) => terminal.say(`set-up: ${oneLine(command)}`),
  });
  terminal.say(`lab: ${project.framework} in ${oneLine(settings.source)}`);
  const limits: LabLimits = {
    ...(timeout === undefined ? {} : { wallMs: timeout * 1_000 }),
    ...(perTest === undefined ? {} : { testMs: perTest * 1_000 }),
    ...(memory === undefined ? {} : { memoryBytes: memory }),
  };
  const expected = await expectation(project, settings, { limits: { wallMs: collectMs, ...limits }, signal });
  return runLab({
    project,
    changes: [],
    expected,
    signal,
    limits,
    onProgress: (seen, total) => terminal.live(`${seen} of ${total} tests`),
  });
}

async function expectation(
  project: Project,
  { expect: given, trustCollected }: Settings,
  { limits, signal }: { limits: LabLimits; signal: AbortSignal },
): Promise<Expected> {
  const expected = await collect({ project, limits, signal, ...(given === undefined ? {} : { given }) });
  if (expected.source === 'unknown' && trustCollected) return { ...expected, source: 'trusted' };
  return expected;
}

/** One id per line; blank lines and lines that begin with `#` do not count. */
function readIds(file: string): string[] {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (cause) {
    throw new AssayError({
      code: 'usage',
      message: `The expected ids cannot be read from ${file}`,
      because: cause instanceof Error ? cause.message : String(cause),
      fix: 'give --expect a file with one test id per line',
      cause,
    });
  }
  const ids = text.split(/\r?\n/).filter((line) => line.trim() !== '' && !line.startsWith('#'));
  if (ids.length > 0) return ids;
  throw new AssayError({
    code: 'usage',
    message: `${file} holds no test id`,
    fix: 'write one id per line, as `assay lab --json` prints them under tests[].id',
  });
}

function exportsOf({ cwd }: CliContext, { ctrf, junit }: LabCliOptions): Exports {
  const files = {
    ...(ctrf === undefined ? {} : { ctrf: path.resolve(cwd, ctrf) }),
    ...(junit === undefined ? {} : { junit: path.resolve(cwd, junit) }),
  };
  for (const file of Object.values(files)) checkWritable(file);
  return files;
}

/** Null, or why they could not be written. */
function writeExports({ ctrf, junit }: Exports, report: Report): AssayError | null {
  try {
    if (ctrf !== undefined) writeWhole(ctrf, `${JSON.stringify(toCtrf(report), null, 2)}\n`);
    if (junit !== undefined) writeWhole(junit, toJunit(report));
    return null;
  } catch (error) {
    if (AssayError.is(error)) return error;
    throw error;
  }
}
