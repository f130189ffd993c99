import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import type { Clock, Outcome } from '../../core/index.ts';
import type { Mount, RunOptions } from '../../sandbox/index.ts';
import { type Received, readRecords } from '../channel/read-records.ts';
import type { RunMode, Selection } from '../frameworks/framework.ts';
import type { Opened } from '../project/opened.ts';
import type { LabLimits } from '../types.ts';
import { injectedFolder } from '../workspace/mounts.ts';
import { maxChannelBytes, sandboxLimits, testLimitSeconds } from './limits.ts';

export type Execution = { outcome: Outcome; received: Received; command: string[] };

/** What every test process finds in its environment; the same on each machine, so that results are too. */
export const environment = { CI: '1', TZ: 'UTC', TERM: 'dumb', NO_COLOR: '1' };

/** Starts a framework's runner once in a fresh sandbox and reads what it reports. */
export async function execute(
  opened: Opened,
  options: {
    mode: RunMode;
    mounts: Mount[];
    selection: Selection;
    /** Held-out files that are not laid. */
    absent: readonly string[];
    limits: LabLimits | undefined;
    signal: AbortSignal | undefined;
    clock: Clock | undefined;
    onTest: ((seen: number) => void) | undefined;
  },
): Promise<Execution> {
  const { framework, tree, command, toolchain } = opened;
  const nonce = randomBytes(32).toString('hex');
  const hidden = new Set(options.absent);
  const plan = framework.plan({
    mode: options.mode,
    tree,
    command,
    toolchain,
    selection: options.selection,
    injected: injectedFolder,
    testFiles: framework.testFiles(tree, command).filter((file) => !hidden.has(file)),
    absent: options.absent,
  });
  const config = {
    ...plan.config,
    nonce,
    mode: options.mode,
    root: tree.dir,
    testLimit: testLimitSeconds(options.limits),
  };
  const { outcome, bytes } = await runWithChannel(opened, options, {
    command: {
      argv: plan.argv,
      cwd: plan.cwd,
      env: { ...environment, ...plan.env },
      stdin: Buffer.from(JSON.stringify(config)),
    },
    policy: {
      mounts: options.mounts,
      toolchains: [toolchain],
      strict: opened.strict,
      channel: { maxBytes: maxChannelBytes },
    },
    limits: sandboxLimits(options.limits, opened.base.totalBytes),
    ...(options.signal === undefined ? {} : { signal: options.signal }),
    ...(options.clock === undefined ? {} : { clock: options.clock }),
  });
  return { outcome, received: readRecords({ bytes, nonce }), command: plan.argv };
}

async function runWithChannel(
  { sandbox }: Opened,
  { onTest }: { onTest: ((seen: number) => void) | undefined },
  run: RunOptions,
): Promise<{ outcome: Outcome; bytes: Uint8Array }> {
  const { stdin, ...command } = run.command;
  const child = await sandbox.spawn({ ...run, command });
  // A process that died before it read its configuration is told by its outcome.
  child.stdin.on('error', () => {});
  child.stdin.end(stdin);
  const chunks: Buffer[] = [];
  const counter = testCounter(onTest);
  const { channel } = child;
  const closed = channel === undefined ? Promise.resolve() : once(channel, 'close');
  channel?.on('error', () => {});
  channel?.on('data', (chunk: Buffer) => {
    chunks.push(chunk);
    counter(chunk);
  });
  const outcome = await child.exited;
  await closed;
  return { outcome, bytes: Buffer.concat(chunks) };
}

const testMark = Buffer.from('"t":"test"');

/** Counts finished tests as they stream, for progress only. */
function testCounter(onTest: ((seen: number) => void) | undefined): (chunk: Buffer) => void {
  if (onTest === undefined) return () => {};
  let seen = 0;
  let rest = Buffer.alloc(0);
  return (chunk) => {
    const text = Buffer.concat([rest, chunk]);
    const before = seen;
    let from = 0;
    for (let at = text.indexOf(testMark); at !== -1; at = text.indexOf(testMark, from)) {
      seen += 1;
      from = at + testMark.length;
    }
    rest = text.subarray(Math.max(from, text.length - testMark.length + 1));
    if (seen > before) onTest(seen);
  };
}
