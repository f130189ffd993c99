import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync } from 'node:fs';
import type { Duplex, Readable, Writable } from 'node:stream';
import { descriptor } from './descriptors.ts';
import { openOutput } from './pipes.ts';
import { quote } from './shell.ts';

export type LaunchOptions = {
  bwrap: string;
  /** Files that make whoever writes 0 to them enter the sandbox's control groups; bwrap then starts inside. */
  selfEntry: readonly string[];
  /** bwrap's arguments; sent over a descriptor so that they show in no process list. */
  hiddenArguments: readonly string[];
  /** What runs inside. */
  argv: readonly string[];
  filter: Uint8Array;
  files: readonly { content: string }[];
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

/** Starts bwrap. Where that fails, the child emits `error` and has no pid. */
export function launch(options: LaunchOptions): Launched {
  const { files, argv } = options;
  const inputs = new Map<number, string | Uint8Array>([
    [descriptor.arguments, options.hiddenArguments.map((argument) => `${argument}\0`).join('')],
    [descriptor.filter, options.filter],
    ...files.map(({ content }, index) => [descriptor.files + index, content] as const),
  ]);
  const piped = new Set([descriptor.status, descriptor.setup, ...inputs.keys()]);
  if (options.channel) piped.add(descriptor.channel);
  if (options.stdin.kind === 'pipe') piped.add(0);
  const stdout = openOutput(options.stdout);
  const stderr = openOutput(options.stderr);
  const given = new Map([
    [1, stdout.fd],
    [2, stderr.fd],
    ...(options.stdin.kind === 'file' ? [[0, options.stdin.fd] as const] : []),
  ]);
  const stdio = Array.from({ length: Math.max(...piped) + 1 }, (_, fd) =>
    piped.has(fd) ? 'pipe' : (given.get(fd) ?? 'ignore'),
  );
  const [program, ...before] = entering(options.selfEntry, options.bwrap);
  let child: ChildProcess;
  try {
    child = spawn(program, [...before, '--args', String(descriptor.arguments), '--', ...argv], {
      stdio,
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
  for (const [fd, content] of inputs) pipe(fd).end(content);
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

function entering(files: readonly string[], bwrap: string): [string, ...string[]] {
  if (files.length === 0) return [bwrap];
  const script = `for file in ${files.map(quote).join(' ')}; do echo 0 >"$file" || exit 1; done; exec "$0" "$@"`;
  return ['/bin/sh', '-c', script, bwrap];
}
