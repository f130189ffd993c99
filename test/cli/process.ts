import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { inject } from 'vitest';

export const main = path.resolve(import.meta.dirname, '../../src/cli/main.ts');

export type StartOptions = {
  /** ASSAY_HOME of this process. */
  home: string;
  cwd?: string;
  env?: NodeJS.ProcessEnv;
  /** In a process group of its own, so that all of it can be signalled as a terminal does. */
  group?: boolean;
};

export type Ended = { code: number | null; signal: NodeJS.Signals | null; stdout: string; stderr: string };

export type Assay = {
  child: ChildProcessByStdio<Writable, Readable, Readable>;
  /** So far. */
  stdout(): string;
  stderr(): string;
  ended: Promise<Ended>;
};

/** The arguments after `node`. The default policy runs nothing where this machine cannot hold every limit. */
export function argumentsOf([name = '', ...rest]: string[]): string[] {
  const runsCode = name === 'fix' || name === 'lab' || name === 'solve';
  return [main, name, ...(runsCode && !inject('holdsEveryLimit') ? ['--no-strict'] : []), ...rest];
}

const noModels = Object.fromEntries(
  [
    'OPENAI_API_KEY',
    'ANTHROPIC_API_KEY',
    'GOOGLE_GENERATIVE_AI_API_KEY',
    'GEMINI_API_KEY',
    'OPENAI_COMPATIBLE_API_KEY',
    'ASSAY_API_KEY',
    'ASSAY_BASE_URL',
  ].map((name) => [name, undefined]),
);

/** Starts the real command line in a process of its own, with a private ASSAY_HOME. */
export function start(args: string[], options: StartOptions): Assay {
  const { home, cwd, env = {}, group = false } = options;
  const child = spawn(process.execPath, argumentsOf(args), {
    cwd: cwd ?? home,
    // What the machine that runs these tests sets must not decide them.
    env: {
      ...process.env,
      NO_COLOR: undefined,
      FORCE_COLOR: undefined,
      CI: undefined,
      ...noModels,
      XDG_CONFIG_HOME: path.join(home, 'config'),
      ASSAY_HOME: home,
      ...env,
    },
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: group,
  });
  let [stdout, stderr] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  // A command that does not read its input may end before it was given.
  child.stdin.on('error', () => {});
  const ended = (once(child, 'close') as Promise<[number | null, NodeJS.Signals | null]>).then(
    ([code, signal]): Ended => ({ code, signal, stdout, stderr }),
  );
  return { child, stdout: () => stdout, stderr: () => stderr, ended };
}

/** Runs it to its end; `input`: its standard input. */
export async function assay(args: string[], options: StartOptions & { input?: string }): Promise<Ended> {
  const started = start(args, options);
  started.child.stdin.end(options.input ?? '');
  return started.ended;
}

/** Runs assay by way of another program, e.g. a shell that mounts something first. `through` takes it as its end. */
export async function assayThrough(
  through: [string, ...string[]],
  args: string[],
  options: { home: string; cwd?: string; env?: NodeJS.ProcessEnv },
): Promise<Ended> {
  const { home, cwd = home, env } = options;
  return command([...through, process.execPath, ...argumentsOf(args)], {
    cwd,
    env: { ASSAY_HOME: home, ...env },
  });
}

/** Runs a program to its end. */
export async function command(
  argv: [string, ...string[]],
  options: { cwd: string; env?: NodeJS.ProcessEnv; input?: string },
): Promise<Ended> {
  const [program, ...args] = argv;
  const child = spawn(program, args, { cwd: options.cwd, env: { ...process.env, ...options.env } });
  let [stdout, stderr] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  child.stdin.on('error', () => {});
  child.stdin.end(options.input ?? '');
  const [code, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null];
  return { code, signal, stdout, stderr };
}

/** Waits until something holds; far longer than it takes, so that only a hang fails. */
export async function until(what: string, holds: () => boolean, limitMs = 40_000): Promise<void> {
  const deadline = performance.now() + limitMs;
  while (!holds()) {
    if (performance.now() > deadline) throw new Error(`it never came to this: ${what}`);
    await sleep(10);
  }
}

/** Processes of the whole machine that have `mark` in their command line. */
export function processesWith(mark: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => pid !== process.pid && commandLineOf(pid).includes(mark));
}

function commandLineOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}
