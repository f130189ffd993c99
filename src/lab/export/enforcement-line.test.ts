import { describe, expect, it } from 'vitest';
import type { Enforcement } from '../../core/index.ts';
import { enforcementLine } from './enforcement-line.ts';

const held: Enforcement = {
  isolation: 'user-namespace',
  hostUid: 1000,
  network: 'none',
  nestedNamespaces: 'bwrap',
  seccomp: true,
  memory: 'rlimit',
  oomCounter: false,
  pids: 'rlimit',
  cpu: 'none',
  disk: 'tmpfs',
  killAll: 'pid-namespace',
  notes: [],
};
const all = 'no network · user namespace · seccomp · memory rlimit · pids rlimit · cpu none · disk tmpfs';

describe('enforcementLine', () => {
  it('says who holds each limit', () => {
    expect(enforcementLine(held)).toBe(all);
    expect(enforcementLine({ ...held, isolation: 'host-uid', hostUid: 60_001, seccomp: false })).toContain(
      'own uid 60001 · NO seccomp',
    );
  });

  it('counts the notes and leaves them to the doctor', () => {
    expect(enforcementLine({ ...held, notes: ['a long one'] })).toBe(`${all} · 1 note: assay doctor`);
    expect(enforcementLine({ ...held, notes: ['a', 'b'] })).toBe(`${all} · 2 notes: assay doctor`);
  });

  it('claims nothing where nothing ran', () => {
    expect(enforcementLine({ ...held, isolation: 'none' })).toBe('nothing ran');
  });
});
