import { describe, expect, it } from 'vitest';
import type { Coverage, TestResult } from '../../core/index.ts';
import { groupsOf } from './groups.ts';
import { reachOf } from './reach.ts';
import { openSources } from './sources.ts';

const source = `RATE = 2


def shared(x):
    return x * RATE


def tier(total):
    if shared(total) < 100:
        return 'basic'
    return 'gold'


def area(width, height):
    return shared(width) + height
`;
const shared = [5];
const tier = [9, 10];
const area = [15];

/** Groups of failing tests that ran these lines, beside passing tests that ran those. */
async function grouped(options: {
  failing: Record<string, number[]>;
  passing?: number[][];
  groups?: string[][];
}) {
  const { failing, passing = [], groups } = options;
  const coverage: Coverage = {
    tests: [
      ...Object.entries(failing).map(([id, lines]) => ({ id, passed: false, lines: { 'shop.py': lines } })),
      ...passing.map((lines, at) => ({ id: `passing ${at}`, passed: true, lines: { 'shop.py': lines } })),
    ],
  };
  const sources = openSources({ read: () => source });
  await sources.prepare(['shop.py']);
  const ids = Object.keys(failing);
  const reach = reachOf({ coverage, failing: ids, editable: () => true });
  const feedback = {
    failing: ids.map((id) => ({ id }) as TestResult),
    flaky: [],
    ...(groups !== undefined && { groups }),
  };
  const index = sources.index('shop.py');
  const found = groupsOf({ feedback, coverage, reach, files: ['shop.py'], index: () => index });
  const common = (index?.sites ?? []).filter((site) => reach.byAll(site)).map(({ from }) => from);
  sources.close();
  return { ...found, common };
}

describe('groupsOf', () => {
  it('has none for one test, or for tests that ran the same and fail alike', async () => {
    expect(await grouped({ failing: { a: tier } })).toMatchObject({ apart: false, first: [], finer: [] });
    const alike = { failing: { a: tier, b: tier }, groups: [['a', 'b']] };
    expect(await grouped(alike)).toMatchObject({ apart: false, first: [], finer: [] });
  });

  it('tells tests of different functions apart, the largest group first, though they share one that is little suspected', async () => {
    const found = await grouped({
      failing: { a: [...shared, ...area], t: [...shared, ...tier], u: [...shared, ...tier] },
      passing: [
        [...shared, ...tier],
        [...shared, ...area],
        [...shared, ...area],
      ],
      groups: [['a', 't', 'u']],
    });
    expect(found).toMatchObject({ apart: true, first: [['t', 'u'], ['a']], finer: [] });
  });

  it('parts tests of one function by how they fail, else by the lines they ran', async () => {
    const byKind = { failing: { a: tier, b: tier, c: tier }, groups: [['b', 'c'], ['a']] };
    expect(await grouped(byKind)).toMatchObject({ apart: false, first: [['b', 'c'], ['a']] });
    const byLines = { failing: { a: tier, b: [9, 11] }, groups: [['a', 'b']] };
    expect(await grouped(byLines)).toMatchObject({ apart: false, first: [['a'], ['b']] });
  });

  it('parts a group of one function further where another group is apart', async () => {
    const found = await grouped({ failing: { a: area, t: tier, u: [9, 11] }, passing: [] });
    expect(found).toMatchObject({ apart: true, first: [['t', 'u'], ['a']], finer: [['t'], ['u']] });
  });

  it('takes tests for one group where it is not known what one of them ran', async () => {
    const found = await grouped({
      failing: { a: area, hung: [], t: tier },
      groups: [['a'], ['t'], ['hung']],
    });
    expect(found).toMatchObject({ apart: false, first: [['a'], ['hung'], ['t']] });
  });
});

describe('reachOf', () => {
  it('knows which sites every failing test ran, or may have run', async () => {
    const two = await grouped({ failing: { a: [...shared, ...area], t: [...shared, ...tier] } });
    expect(two.common).toEqual([1, 4, 5]);
    const one = await grouped({ failing: { t: tier, hung: [] } });
    expect(one.common).toEqual([1, 8, 9, 10, 11]);
  });
});
