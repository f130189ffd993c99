import { describe, expect, it } from 'vitest';
import { fakeKernel } from '../../kernel/index.ts';
import { holdKernel, type OpenKernel } from './kernel-holder.ts';

async function held(maxSpillBytes: number) {
  let spill: Parameters<OpenKernel>[0]['onSpill'] = () => {};
  const holder = holdKernel(
    async ({ onSpill }) => {
      spill = onSpill;
      return fakeKernel({ replies: [] });
    },
    { maxSpillBytes },
  );
  await holder.open(new AbortController().signal);
  holder.beginCell();
  return { holder, put: (text: string) => spill('stdout', Buffer.from(text)) };
}

const textOf = (bytes: Uint8Array | null) => (bytes === null ? null : Buffer.from(bytes).toString('utf8'));

describe('what a cell printed over its limit', () => {
  it('is held from its beginning, without a gap, also where one piece is over all the room', async () => {
    const { holder, put } = await held(10);
    put('123456');
    put('abcdefgh');
    put('x');
    expect(textOf(holder.spilled().stdout)).toBe('123456abcd');
    expect(holder.spilled().lostBytes).toBe(5);
    holder.beginCell();
    expect(holder.spilled()).toEqual({ stdout: null, stderr: null, lostBytes: 0 });
  });

  it('is cut between two characters, so that it stays text', async () => {
    const { holder, put } = await held(5);
    put('ééé');
    expect(textOf(holder.spilled().stdout)).toBe('éé');
    expect(holder.spilled().lostBytes).toBe(2);
  });
});
