import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { watchIdle } from './idle-watch.ts';
import { madeReport, madeSpec, madeTest } from './made.ts';
import { baselineTime, hungReport, patchedTime } from './test-time.ts';

describe('the time of a test run', () => {
  const slow = { ...madeTest('a'), durationMs: 2_000 };
  const baseline = { ...madeReport(), tests: [slow, madeTest('b')] };
  const took = (wallMs: number) => ({ ...baseline, usage: { ...baseline.usage, wallMs } });

  it('of a baseline is half of the wall budget at most', () => {
    const limits = (wallMs: number) => madeSpec({ limits: { ...madeSpec().limits, wallMs } });
    expect(baselineTime(limits(100_000)).wallMs).toBe(50_000);
    expect(baselineTime(limits(10_000_000)).wallMs).toBe(300_000);
  });

  it('of a patched project follows the baseline, within what that was given', () => {
    expect(patchedTime(madeSpec(), took(100))).toEqual({
      wallMs: 10_000,
      testMs: 20_000,
      firstMs: 60_000,
      betweenMs: 35_000,
    });
    expect(patchedTime(madeSpec(), took(10_000)).wallMs).toBe(45_000);
    expect(patchedTime(madeSpec(), took(200_000)).wallMs).toBe(300_000);
  });

  it('is the given one and no other where one is given', () => {
    const spec = madeSpec({ testTimeoutMs: 7_000 });
    const only = { wallMs: 7_000, firstMs: 7_000, betweenMs: 7_000 };
    expect(baselineTime(spec)).toMatchObject(only);
    expect(patchedTime(spec, took(200_000))).toMatchObject(only);
  });

  it('of one test is ten times the slowest that ended by itself, within the limit of the baseline', () => {
    const test = (durationMs: number) => ({ ...baseline, tests: [{ ...slow, durationMs }] });
    expect(baselineTime(madeSpec()).testMs).toBe(30_000);
    expect(patchedTime(madeSpec(), test(10)).testMs).toBe(5_000);
    expect(patchedTime(madeSpec(), test(900)).testMs).toBe(9_000);
    expect(patchedTime(madeSpec(), test(9_000)).testMs).toBe(30_000);
    const failure = { type: 'TestHung', message: '', trace: '', frames: [] };
    const hung = { ...madeTest('hung', 'failed'), durationMs: 30_000, failure };
    expect(patchedTime(madeSpec(), { ...baseline, tests: [madeTest('a'), hung] }).testMs).toBe(5_000);
  });

  it('of one test is the given one where one is given, and no silence ends it sooner', () => {
    for (const perTestMs of [1_000, 200_000]) {
      const spec = madeSpec({ perTestMs });
      for (const time of [baselineTime(spec), patchedTime(spec, took(100))]) {
        expect(time.testMs).toBe(perTestMs);
        expect(Math.min(time.firstMs, time.betweenMs)).toBeGreaterThan(perTestMs);
      }
    }
  });
});

describe('watchIdle', () => {
  it('aborts after a silence, and not while something comes', async () => {
    const watch = watchIdle({ signal: new AbortController().signal, firstMs: 200 });
    for (let n = 0; n < 6; n++) {
      await sleep(40);
      watch.seen(200);
    }
    expect(watch.signal.aborted).toBe(false);
    watch.seen(5);
    await sleep(50);
    expect([watch.signal.aborted, watch.idled]).toEqual([true, true]);
  });

  it('aborts with the outer signal, and is then not idle', () => {
    const outer = new AbortController();
    const watch = watchIdle({ signal: outer.signal, firstMs: 60_000 });
    outer.abort();
    watch.stop();
    expect([watch.signal.aborted, watch.idled]).toEqual([true, false]);
  });

  it('makes a timeout of the aborted report', () => {
    const aborted = madeReport({ verdict: 'aborted' });
    const integrity = { ...aborted.integrity, missing: ['a', 'b'] };
    expect(hungReport({ ...aborted, integrity }, 60_000)).toMatchObject({
      verdict: 'timeout',
      reason: 'no test finished for 60 s; 2 tests had not finished',
      exit: { reason: 'timeout' },
    });
  });
});
