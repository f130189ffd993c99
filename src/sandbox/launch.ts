import { type ChildProcess, spawn } from 'node:child_process';
import type { Duplex, Readable, Writable } from 'node:stream';
import { descriptor } from './descriptors.ts';
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
  stdin: 'none' | 'pipe';
  channel: boolean;
};

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
  const piped = new Set([1, 2, descriptor.status, descriptor.setup, ...inputs.keys()]);
  if (options.stdin === 'pipe') piped.add(0);
  if (options.channel) piped.add(descriptor.channel);
  const [program, ...before] = entering(options.selfEntry, options.bwrap);
  const child = spawn(program, [...before, '--args', String(descriptor.arguments), '--', ...argv], {
    stdio: Array.from({ length: Math.max(...piped) + 1 }, (_, fd) => (piped.has(fd) ? 'pipe' : 'ignore')),
    // What is in the environment of bwrap can be read by the code in /proc/1/environ.
    env: {},
  });
  const pipe = (fd: number) => child.stdio[fd] as Duplex;
  for (const fd of piped) {
    // A reader that is gone (EPIPE) shows in the end of the process; it must not crash the runner.
    pipe(fd).on('error', () => {});
  }
  for (const [fd, content] of inputs) pipe(fd).end(content);
  return {
    child,
    stdin: child.stdin,
    stdout: pipe(1),
    stderr: pipe(2),
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
