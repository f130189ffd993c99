import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { groupName, isRunnerAlive, parseGroupName, runnerIdentity } from './name.ts';
import { readStat } from './process-stat.ts';

const hex = fc.stringMatching(/^[0-9a-f]{8}$/);
const names = fc.record({
  pid: fc.integer({ min: 1, max: 4_194_304 }),
  startTime: fc.nat({ max: Number.MAX_SAFE_INTEGER }),
  boot: hex,
  pidNamespace: fc.nat(),
  serial: fc.stringMatching(/^[0-9a-z]{1,12}$/),
});

describe('group names', () => {
  it('are read back as they were written', () => {
    fc.assert(
      fc.property(names, (name) => {
        expect(parseGroupName(groupName(name))).toEqual(name);
      }),
    );
  });

  it('are never seen in what others name their groups', () => {
    for (const name of [
      '',
      'user.slice',
      'assay-runners',
      'assay-1-2',
      '../assay-1-2-00000000-3-a',
      'assay-1-2-00000000-3-a/b',
    ]) {
      expect(parseGroupName(name)).toBeNull();
    }
  });
});

describe('isRunnerAlive', () => {
  const own = runnerIdentity();
  const alive = (change: Partial<typeof own>) => isRunnerAlive(groupName({ ...own, ...change, serial: 'x' }));

  it('knows this runner', () => {
    expect(alive({})).toBe(true);
  });

  it('is not deceived by a pid that another process has now', () => {
    expect(alive({ startTime: own.startTime - 1 })).toBe(false);
  });

  it('takes a runner of an earlier boot for dead, whatever runs now', () => {
    expect(alive({ boot: '00000000' })).toBe(false);
  });

  it('leaves a runner of another pid namespace alone, as it cannot be seen', () => {
    expect(alive({ pidNamespace: own.pidNamespace + 1, startTime: 1 })).toBe(true);
  });

  it('leaves groups of others alone', () => {
    expect(isRunnerAlive('user.slice')).toBe(true);
  });

  it('takes a process that has ended for dead', async () => {
    const child = spawn('sleep', ['60']);
    const { pid = 0 } = child;
    const startTime = readStat(pid)?.startTime ?? 0;
    expect(alive({ pid, startTime })).toBe(true);
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(alive({ pid, startTime })).toBe(false);
  });
});
