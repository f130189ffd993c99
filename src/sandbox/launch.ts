import { type ChildProcess, spawn } from 'node:child_process';
import type { Duplex, Readable, Writable } from 'node:stream';
import { descriptor } from './descriptors.ts';

export type LaunchOptions = {
  /** bwrap, behind the launcher where one is needed. */
  program: readonly string[];
  /** bwrap's arguments; sent over a descriptor so that they show in no process list. */
  hiddenArguments: readonly string[];
  /** What runs inside. */
  argv: readonly string[];
  filter: Uint8Array;
  files: readonly { content: string }[];
  stdin: 'none' | 'pipe';
  channel: boolean;
};

/** A started bwrap that waits for a byte on `block` before it builds anything. */
export type Launched = {
  child: ChildProcess;
  stdin: Writable | null;
  stdout: Readable;
  stderr: Readable;
  channel: Duplex | null;
  block: Duplex;
  status: Duplex;
  setup: Duplex;
};

/** @throws the error of spawn, e.g. ENOENT or EAGAIN, as the child's `error` event where it comes later */
export function launch(options: LaunchOptions): Launched {
  const [file = 'bwrap', ...before] = options.program;
  const stdio: ('pipe' | 'ignore')[] = Array.from(
    { length: descriptor.files + options.files.length },
    () => 'pipe',
  );
  if (options.stdin === 'none') stdio[0] = 'ignore';
  if (!options.channel) stdio[descriptor.channel] = 'ignore';
  stdio[descriptor.unused] = 'ignore';
  const child = spawn(file, [...before, '--args', String(descriptor.arguments), '--', ...options.argv], {
    stdio,
    // What is in the environment of bwrap can be read by the code in /proc/1/environ.
    env: {},
  });
  const pipe = (fd: number) => child.stdio[fd] as Duplex;
  for (const fd of stdio.keys()) {
    // A reader that is gone (EPIPE) shows in the end of the process; it must not crash the runner.
    if (stdio[fd] === 'pipe') child.stdio[fd]?.on('error', () => {});
  }
  pipe(descriptor.arguments).end(options.hiddenArguments.map((argument) => `${argument}\0`).join(''));
  pipe(descriptor.filter).end(options.filter);
  for (const [index, { content }] of options.files.entries()) pipe(descriptor.files + index).end(content);
  return {
    child,
    stdin: child.stdin,
    stdout: pipe(1),
    stderr: pipe(2),
    channel: options.channel ? pipe(descriptor.channel) : null,
    block: pipe(descriptor.block),
    status: pipe(descriptor.status),
    setup: pipe(descriptor.setup),
  };
}
