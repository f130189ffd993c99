import { describe, expect, it } from 'vitest';
import type { Coverage } from '../core/index.ts';
import { coverageCache } from './coverage-cache.ts';

const coverageOf = (id: string): Coverage => ({ tests: [{ id, passed: true, lines: {} }] });

describe('coverageCache', () => {
  it('measures a state once, and another state anew', async () => {
    const cache = coverageCache();
    let measured = 0;
    const measure = (id: string) => async () => {
      measured += 1;
      return coverageOf(id);
    };
    expect(await cache.of('one', measure('a'))).toEqual(coverageOf('a'));
    expect(await cache.of('one', measure('b'))).toEqual(coverageOf('a'));
    expect(await cache.of('two', measure('c'))).toEqual(coverageOf('c'));
    expect(measured).toBe(2);
  });

  it('asks again after a failure', async () => {
    const cache = coverageCache();
    await expect(cache.of('one', () => Promise.reject(new Error('no sandbox')))).rejects.toThrow(
      'no sandbox',
    );
    expect(await cache.of('one', async () => coverageOf('a'))).toEqual(coverageOf('a'));
  });
});
