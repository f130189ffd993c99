import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { AssayError, type Report } from '../../core/index.ts';
import {
  collect,
  type Expected,
  type FrameworkId,
  openProject,
  type Project,
  renderReport,
  runLab,
  toCtrf,
  toJunit,
} from '../../lab/index.ts';
import type { CliContext } from '../context.ts';
import { type ExitCode, exitCodeOfVerdict } from '../exit-codes.ts';
import { materialise } from '../job-file.ts';
import { splitCommand } from '../split-command.ts';

export type LabCliOptions = {
  framework?: FrameworkId;
  test?: string;
  expect?: string;
  trustCollected?: boolean;
  protect: string[];
  setup?: string;
  timeout?: number;
  memory?: number;
  ctrf?: string;
  junit?: string;
  json?: boolean;
  strict: boolean;
};

/** `assay lab [dir | job.json | -]`: runs the tests in isolation once and prints the report. */
export async function labCommand(
  context: CliContext,
  target: string,
  options: LabCliOptions,
): Promise<ExitCode> {
  const scratch = mkdtempSync(path.join(os.tmpdir(), 'assay-lab-'));
  try {
    const job = await materialise(context, target, scratch);
    const report = await judge(context, { ...options, ...job.options }, job.dir, scratch);
    writeExports(context, options, report);
    const { terminal } = context;
    terminal.result(
      options.json
        ? JSON.stringify(report)
        : renderReport(report, { color: terminal.color, width: terminal.columns }),
    );
    return exitCodeOfVerdict(report.verdict);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

async function judge(
  { terminal, signal, cwd }: CliContext,
  options: LabCliOptions,
  dir: string,
  scratch: string,
): Promise<Report> {
  const project = await openProject({
    dir,
    scratch,
    protect: options.protect,
    strict: options.strict,
    signal,
    ...(options.framework === undefined ? {} : { framework: options.framework }),
    ...(options.test === undefined ? {} : { testCommand: splitCommand(options.test) }),
    ...(options.setup === undefined ? {} : { setup: options.setup }),
  });
  terminal.say(`lab: ${project.framework} in ${dir}`);
  const expected = await expectation(project, options, { cwd, signal });
  const report = await runLab({
    project,
    changes: [],
    expected,
    signal,
    limits: {
      ...(options.timeout === undefined ? {} : { wallMs: options.timeout * 1_000 }),
      ...(options.memory === undefined ? {} : { memoryBytes: options.memory }),
    },
    onProgress: (seen, total) => terminal.live(`${seen} of ${total} tests`),
  });
  terminal.clear();
  return report;
}

async function expectation(
  project: Project,
  options: LabCliOptions,
  { cwd, signal }: { cwd: string; signal: AbortSignal },
): Promise<Expected> {
  if (options.expect !== undefined)
    return { source: 'given', ids: readIds(path.resolve(cwd, options.expect)), skipped: [] };
  const expected = await collect({ project, signal });
  if (expected.source === 'unknown' && options.trustCollected) return { ...expected, source: 'trusted' };
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
      message: `The expected ids cannot be read from ${file}.`,
      fix: 'give --expect a file with one test id per line',
      cause,
    });
  }
  const ids = text.split(/\r?\n/).filter((line) => line.trim() !== '' && !line.startsWith('#'));
  if (ids.length > 0) return ids;
  throw new AssayError({
    code: 'usage',
    message: `${file} holds no test id.`,
    fix: 'write one id per line, as `assay lab --json` prints them under tests[].id',
  });
}

function writeExports({ cwd }: CliContext, options: LabCliOptions, report: Report): void {
  const write = (file: string, text: string) => {
    try {
      writeFileSync(path.resolve(cwd, file), text);
    } catch (cause) {
      throw new AssayError({
        code: 'environment',
        message: `The report cannot be written to ${path.resolve(cwd, file)}.`,
        because: cause instanceof Error ? cause.message : String(cause),
        fix: 'name a file in a folder that exists and that you may write to',
        cause,
      });
    }
  };
  if (options.ctrf !== undefined) write(options.ctrf, `${JSON.stringify(toCtrf(report), null, 2)}\n`);
  if (options.junit !== undefined) write(options.junit, toJunit(report));
}
