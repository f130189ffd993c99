import { describe, expect, it } from 'vitest';
import type { Report } from '../../core/index.ts';
import { scheduleOf } from './schedule.ts';

type Test = [id: string, status: Report['tests'][number]['status'], durationMs: number, failure?: string];

const baseline = (tests: Test[], missing: string[] = [], wallMs = 500) =>
  ({
    tests: tests.map(([id, status, durationMs, type]) => ({
      id,
      status,
      durationMs,
      failure: type === undefined ? null : { type },
    })),
    integrity: { missing },
    usage: { wallMs },
  }) as unknown as Report;

describe('scheduleOf', () => {
  it('keeps the order of the baseline, those never reached last, and leaves skipped and ignored ones out', () => {
    const report = baseline(
      [
        ['slow pass', 'passed', 40],
        ['slow fail', 'failed', 30],
        ['quick pass', 'passed', 1],
        ['skip', 'skipped', 0],
        ['quick fail', 'error', 2],
        ['flaky', 'failed', 1],
      ],
      ['never reached', 'flaky too'],
    );
    const schedule = scheduleOf(report, ['flaky', 'flaky too']);
    expect(schedule.failing).toEqual(['slow fail', 'quick fail', 'never reached']);
    expect(schedule.order).toEqual(['slow pass', 'slow fail', 'quick pass', 'quick fail', 'never reached']);
  });

  it('gives a candidate four times what the tests took, and more than a moment at the least', () => {
    const quick = scheduleOf(
      baseline([
        ['a', 'passed', 0.1],
        ['b', 'failed', 0.1],
      ]),
    );
    expect(quick.idleMs).toBeGreaterThanOrEqual(250);
    const slow = scheduleOf(
      baseline(
        [
          ['a', 'passed', 1_000],
          ['b', 'failed', 500],
        ],
        [],
        4_000,
      ),
    );
    expect(slow).toMatchObject({ idleMs: 4 * 1_000 + 250, startMs: 5_000, limitMs: 5_000 + 4 * 1_500 + 250 });
  });

  it('gives a slow test that failed by itself the time to pass', () => {
    const slow = scheduleOf(
      baseline(
        [
          ['a', 'passed', 5],
          ['b', 'failed', 2_500, 'AssertionError'],
        ],
        [],
        3_000,
      ),
    );
    expect(slow.idleMs).toBe(2 * 2_500 + 250);
    expect(slow.limitMs).toBeGreaterThan(4 * 2_500);
  });

  it('does not take the time a test hung for the time it needs', () => {
    const hung = scheduleOf(
      baseline(
        [
          ['a', 'passed', 5],
          ['b', 'failed', 30_000, 'TestHung'],
        ],
        [],
        31_000,
      ),
    );
    expect(hung.limitMs).toBeLessThan(5_000);
    expect(hung.idleMs).toBeGreaterThan(
      scheduleOf(
        baseline([
          ['a', 'passed', 5],
          ['b', 'failed', 5],
        ]),
      ).idleMs,
    );
  });
});
