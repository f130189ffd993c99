import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { sweepOrphans } from './orphans.ts';
import { identify, isRunning } from './processes.ts';

const uid = process.getuid?.() ?? 0;
const bwrap = '/usr/bin/bwrap';

/** bwrap, held where its child waits to have its uids mapped. `name`: the argument that ours have. */
async function held(name: string) {
  const flags =
    '--unshare-user --unshare-pid --die-with-parent --userns-block-fd 3 --info-fd 4 --dev-bind / /';
  const outer = spawn(bwrap, [...flags.split(' '), '--', 'sh', '-c', 'sleep 300', name], {
    stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'],
  });
  const [info] = await once(outer.stdio[4] as Readable, 'data');
  const inner = identify(Number(/"child-pid": (\d+)/.exec(String(info))?.[1]));
  if (inner === null) throw new Error(`no child in ${info}`);
  const killOuter = async () => {
    outer.kill('SIGKILL');
    await once(outer, 'exit');
  };
  return { inner, killOuter };
}

it('kills the child that bwrap leaves when it is killed first thing, and none whose bwrap lives', async () => {
  const [ours, foreign] = [await held('assay'), await held('of-others')];
  expect(sweepOrphans({ uid, bwrap })).not.toContain(ours.inner.pid);
  await Promise.all([ours.killOuter(), foreign.killOuter()]);
  // It is what hangs: nothing of it ends by itself.
  await sleep(100);
  expect(isRunning(ours.inner)).toBe(true);
  const swept = sweepOrphans({ uid, bwrap });
  expect(swept).toContain(ours.inner.pid);
  expect(swept).not.toContain(foreign.inner.pid);
  while (isRunning(ours.inner)) await sleep(5);
  process.kill(foreign.inner.pid, 'SIGKILL');
});
