import { spawnSync } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { MiB, optionsOf, sandboxFixture } from './sandbox.fixture.ts';
import { createSandbox } from './sandbox.ts';

const { sandbox, shell } = sandboxFixture();

describe('the private channel', () => {
  const channel = { maxBytes: 1000 };

  it('brings back bytes apart from the output', async () => {
    const { outcome, channel: received } = await shell('echo public; echo private >&$ASSAY_CHANNEL_FD', {
      policy: { channel },
    });
    expect(Buffer.from(received).toString()).toBe('private\n');
    expect(outcome.stdout.head).toBe('public\n');
  });

  it('brings back all that was sent just before the end', async () => {
    for (let turn = 0; turn < 10; turn++) {
      const { outcome, channel: received } = await shell('head -c 300000 /dev/zero >&3; echo said', {
        policy: { channel: { maxBytes: MiB } },
      });
      expect(received.length).toBe(300_000);
      expect(outcome.stdout.head).toBe('said\n');
    }
  });

  it('ends a command that sends too much over it', async () => {
    const { outcome, channel: received } = await shell('yes >&3', { policy: { channel } });
    expect(outcome.reason).toBe('output_limit');
    expect(received.length).toBe(1000);
  });

  it('is empty without one', async () => {
    const { channel: received } = await shell('(echo x >&3) 2>/dev/null || exit 7');
    expect(received.length).toBe(0);
  });
});

describe('abort', () => {
  it('before the start starts nothing', async () => {
    const { outcome } = await shell('echo ran', { signal: AbortSignal.abort() });
    expect(outcome).toMatchObject({ reason: 'aborted', stdout: { totalBytes: 0 } });
  });

  /** Aborts a command that starts others after so many milliseconds, or as soon as it says that it has begun. */
  async function abortedAt(when: number | 'begun') {
    const token = `sleep 9${process.pid}${Math.floor(performance.now())}`;
    const controller = new AbortController();
    const running = sandbox.run({
      ...optionsOf({ argv: ['/bin/sh', '-c', `setsid ${token} & echo begun; ${token}`] }),
      signal: controller.signal,
      onOutput: () => controller.abort(),
    });
    if (when !== 'begun') {
      await sleep(when);
      controller.abort();
    }
    const { outcome } = await running;
    const alive = spawnSync('pgrep', ['-f', token], { encoding: 'utf8' }).stdout;
    return { reason: outcome.reason, output: outcome.stdout.head, alive };
  }

  it('at any instant ends it, and everything it started', async () => {
    for (const instant of [0, 1, 2, 3, 5, 8, 13, 21, 34]) {
      expect(await abortedAt(instant), `at ${instant} ms`).toMatchObject({ reason: 'aborted', alive: '' });
    }
    expect(await abortedAt('begun')).toEqual({ reason: 'aborted', output: 'begun\n', alive: '' });
  });
});

describe('a spawned process', () => {
  it('talks over stdin and the channel until it is killed', async () => {
    const process = await sandbox.spawn(
      optionsOf({
        argv: ['/bin/sh', '-c', 'while read -r line; do echo "got $line" >&3; done; echo ended >&3'],
        policy: { channel: { maxBytes: 1000 } },
      }),
    );
    const { channel } = process;
    if (channel === undefined) throw new Error('no channel');
    process.stdin.write('one\n');
    expect(String(await nextData(channel))).toBe('got one\n');
    process.stdin.write('two\n');
    expect(String(await nextData(channel))).toBe('got two\n');
    expect(await process.kill()).toMatchObject({ reason: 'aborted' });
    expect(await process.exited).toMatchObject({ reason: 'aborted' });
  });

  it('gets signals itself, not bwrap', async () => {
    const process = await sandbox.spawn(
      optionsOf({
        argv: [
          '/bin/sh',
          '-c',
          'trap "echo interrupted; exit 5" INT; echo ready >&3; while :; do sleep 0.05; done',
        ],
        policy: { channel: { maxBytes: 10 } },
      }),
    );
    if (process.channel === undefined) throw new Error('no channel');
    await nextData(process.channel);
    await process.signal('SIGINT');
    expect(await process.exited).toMatchObject({
      reason: 'exited',
      exitCode: 5,
      stdout: { head: 'interrupted\n' },
    });
    await process.signal('SIGINT');
  });

  it('that cannot be had has ended already', async () => {
    const nothing = createSandbox({ path: '/nowhere' });
    const process = await nothing.spawn(optionsOf({ argv: ['true'] }));
    expect(await process.exited).toMatchObject({ reason: 'unavailable' });
    expect(await process.kill()).toMatchObject({ reason: 'unavailable' });
    process.stdin.write('to nobody');
    await process.signal('SIGINT');
  });
});

function nextData(stream: NodeJS.ReadableStream): Promise<Buffer> {
  return new Promise((resolve) => stream.once('data', resolve));
}
