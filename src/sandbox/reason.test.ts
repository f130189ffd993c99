import { describe, expect, it } from 'vitest';
import { decideEnding, type Ending } from './reason.ts';

const quiet: Ending = {
  killed: null,
  counters: { oomKills: 0, pidsRefused: 0 },
  exitCode: 0,
  bwrapSignal: null,
};

function reasonOf(changes: Partial<Ending>) {
  return decideEnding({ ...quiet, ...changes });
}

describe('decideEnding', () => {
  it('knows an ordinary end', () => {
    expect(reasonOf({})).toEqual({ reason: 'exited', exitCode: 0, signal: null });
    expect(reasonOf({ exitCode: 3 })).toEqual({ reason: 'exited', exitCode: 3, signal: null });
    expect(reasonOf({ exitCode: 255 })).toMatchObject({ reason: 'exited', signal: null });
  });

  it('reads 128+n as death by signal n', () => {
    expect(reasonOf({ exitCode: 139 })).toEqual({ reason: 'signaled', exitCode: 139, signal: 'SIGSEGV' });
  });

  it('trusts what the runner did before all else', () => {
    const counters = { oomKills: 2, pidsRefused: 2 };
    for (const killed of ['timeout', 'output_limit', 'aborted'] as const) {
      expect(reasonOf({ killed, counters, exitCode: 0 }).reason).toBe(killed);
    }
  });

  it('trusts the counter of OOM kills before the exit code', () => {
    expect(reasonOf({ counters: { oomKills: 1, pidsRefused: 0 }, exitCode: 0 }).reason).toBe('oom');
    expect(reasonOf({ counters: { oomKills: 1, pidsRefused: 9 }, exitCode: 137 }).reason).toBe('oom');
  });

  it('blames refused forks only where the end was no good one', () => {
    const counters = { oomKills: 0, pidsRefused: 5 };
    expect(reasonOf({ counters, exitCode: 0 }).reason).toBe('exited');
    expect(reasonOf({ counters, exitCode: 1 }).reason).toBe('pids');
    expect(reasonOf({ counters, exitCode: 134 }).reason).toBe('pids');
  });

  it('says so where bwrap itself was killed from outside', () => {
    expect(reasonOf({ exitCode: null, bwrapSignal: 'SIGKILL' })).toEqual({
      reason: 'signaled',
      exitCode: null,
      signal: 'SIGKILL',
    });
  });
});
