import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, constants, openSync } from 'node:fs';
import type { Duplex, Readable, Writable } from 'node:stream';
import type { ContentCache } from './content-file.ts';
import { descriptor } from './descriptors.ts';
import { openOutput } from './pipes.ts';

export type LaunchOptions = {
  bwrap: string;
  /** Files through which the shell inside enters its control groups; `maxGroups` at most. */
  groups: readonly string[];
  /** bwrap's arguments; sent over a descriptor so that they show in no process list. */
  hiddenArguments: readonly string[];
  /** What runs inside. */
  argv: readonly string[];
  filter: Uint8Array;
  files: readonly { content: string }[];
  contents: ContentCache;
  stdin: Input;
  /** Of a `PipePool`. */
  stdout: number;
  stderr: number;
  channel: boolean;
};

/** `file`: a descriptor, closed here once the command has it. */
export type Input = { kind: 'none' } | { kind: 'pipe' } | { kind: 'file'; fd: number };

export type Launched = {
  child: ChildProcess;
  stdin: Writable | null;
  stdout: Readable;
  stderr: Readable;
  channel: Duplex | null;
  status: Duplex;
  setup: Duplex;
};

/** Starts bwrap. Where that fails, the child emits `error` and has no pid. @throws the error of spawn where it throws */
export function launch(options: LaunchOptions): Launched {
  const { hiddenArguments, argv } = options;
  const stdout = openOutput(options.stdout);
  const stderr = openOutput(options.stderr);
  const given = new Map<number, number>([[1, stdout.fd], [2, stderr.fd], ...contentDescriptors(options)]);
  for (const [index, file] of options.groups.entries())
    given.set(descriptor.groups + index, openSync(file, constants.O_WRONLY));
  if (options.stdin.kind === 'file') given.set(0, options.stdin.fd);
  const piped = new Set([descriptor.status, descriptor.arguments, descriptor.setup]);
  if (options.stdin.kind === 'pipe') piped.add(0);
  if (options.channel) piped.add(descriptor.channel);
  let child: ChildProcess;
  try {
    child = spawn(options.bwrap, ['--args', String(descriptor.arguments), '--', ...argv], {
      stdio: stdioOf(piped, given),
      // What is in the environment of bwrap can be read by the code in /proc/1/environ.
      env: {},
    });
  } catch (error) {
    for (const { stream } of [stdout, stderr]) stream.destroy();
    throw error;
  } finally {
    for (const fd of given.values()) closeSync(fd);
  }
  const pipe = (fd: number) => child.stdio[fd] as Duplex;
  for (const stream of [stdout.stream, stderr.stream, ...[...piped].map(pipe)]) {
    // A reader that is gone (EPIPE) shows in the end of the process; it must not crash the runner.
    stream.on('error', () => {});
  }
  pipe(descriptor.arguments).end(hiddenArguments.map((argument) => `${argument}\0`).join(''));
  return {
    child,
    stdin: child.stdin,
    stdout: stdout.stream,
    stderr: stderr.stream,
    channel: options.channel ? pipe(descriptor.channel) : null,
    status: pipe(descriptor.status),
    setup: pipe(descriptor.setup),
  };
}

/** What bwrap reads from descriptors besides its arguments. */
function contentDescriptors({ contents, filter, files }: LaunchOptions): [number, number][] {
  return [
    [descriptor.filter, contents.open(filter)],
    ...files.map(({ content }, index): [number, number] => [
      descriptor.files + index,
      contents.open(content),
    ]),
  ];
}

function stdioOf(
  piped: ReadonlySet<number>,
  given: ReadonlyMap<number, number>,
): ('pipe' | 'ignore' | number)[] {
  const last = Math.max(...piped, ...given.keys());
  return Array.from({ length: last + 1 }, (_, fd) => (piped.has(fd) ? 'pipe' : (given.get(fd) ?? 'ignore')));
}
