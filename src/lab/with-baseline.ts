import type { Report } from '../core/index.ts';
import type { Expected } from './types.ts';

/**
 * What must be seen, with what a run of the original project has shown: tests that skip themselves, or are expected to
 * fail, only once they run are known from such a run alone. Without it a patch would answer for them. Pure.
 */
export function withBaseline(expected: Expected, baseline: Report): Expected {
  const having = (status: 'skipped' | 'xfailed') =>
    baseline.tests.filter((test) => test.status === status).map((test) => test.id);
  return {
    ...expected,
    skipped: [...new Set([...expected.skipped, ...having('skipped')])],
    xfailed: [...new Set([...(expected.xfailed ?? []), ...having('xfailed')])],
  };
}
