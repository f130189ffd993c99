import { describe, expect, it } from 'vitest';
import { slotRange } from './uid-map.ts';

describe('slotRange', () => {
  it('takes the free uids of a whole machine', () => {
    expect(slotRange('         0          0 4294967295\n')).toEqual({
      kind: 'range',
      first: 70_000,
      last: 70_999,
    });
  });

  it('makes do with a container that maps 65536 uids', () => {
    expect(slotRange('0 231072 65536\n')).toEqual({ kind: 'range', first: 64_000, last: 64_999 });
  });

  it('sees that root of a user namespace is an ordinary user outside', () => {
    expect(slotRange('0 1000 1\n')).toEqual({ kind: 'fake-root', outerUid: 1000 });
    expect(slotRange('0 1000 1\n1 100000 500\n')).toEqual({ kind: 'fake-root', outerUid: 1000 });
  });

  it('finds nothing where root stands for root alone', () => {
    expect(slotRange('0 0 1\n')).toEqual({ kind: 'none' });
    expect(slotRange('')).toEqual({ kind: 'none' });
  });
});
