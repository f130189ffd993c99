import { describe, expect, it } from 'vitest';
import { commentOf, mark } from './comment-text.ts';

describe('commentOf', () => {
  it('keeps what comes from outside inside code that it cannot close', () => {
    const hostile = '````\n@everyone <img src=x> [link](javascript:1)\n```';
    const body = commentOf({
      status: 'done',
      reason: hostile,
      patch: `diff --git a/x b/x\n+${hostile}\n`,
      motivation: hostile,
      warnings: [hostile],
    });
    expect(body.startsWith(mark)).toBe(true);
    let fence: string | null = null;
    for (const line of body.split('\n')) {
      const ticks = /^`{3,}/.exec(line)?.[0];
      if (fence === null && ticks !== undefined) fence = ticks;
      else if (fence !== null && line === fence) fence = null;
      else if (line.includes('@everyone')) expect(fence).not.toBeNull();
    }
    expect(fence).toBeNull();
  });

  it('stays within what GitHub takes', () => {
    const body = commentOf({ status: 'stuck', reason: 'x', patch: '+'.repeat(200_000) });
    expect(body.length).toBeLessThan(65_536);
    expect(body).toContain('too long');
    const long = 'x\n'.repeat(100_000);
    const all = { reason: long, motivation: long, warnings: [long, long], patch: '+'.repeat(44_000) };
    expect(commentOf({ status: 'done', ...all }).length).toBeLessThan(65_536);
  });

  it('says what to do, also where a run ended without a patch, and where a patch belongs', () => {
    expect(commentOf({ status: 'environment_error', fix: 'give a valid key' })).toContain('give a valid key');
    expect(commentOf({ status: 'done', patch: 'diff' }, 'pkg')).toContain('--directory');
    expect(commentOf({ status: 'done', patch: 'diff' })).not.toContain('--directory');
  });

  it('says what to do where nothing ran', () => {
    const error = { message: 'there is no proposer', because: null, fix: 'use search' };
    expect(commentOf({ status: 'error', error })).toContain('use search');
  });
});
