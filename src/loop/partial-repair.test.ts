import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, inject, it } from 'vitest';
import { repairEventSchema } from '../core/index.ts';
import { searchProposer } from '../propose/index.ts';
import { openStore } from '../store/index.ts';
import { madeSpec } from './made.ts';
import { runRepair } from './run-repair.ts';

const folder = mkdtempSync(path.join(os.tmpdir(), 'assay-partial-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const store = openStore({ home: path.join(folder, 'home'), env: {} });
let count = 0;

/** Repairs a project with the real lab and the built-in search. */
async function repaired(files: Record<string, string>) {
  const dir = path.join(folder, `project-${count++}`);
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(dir, file)), { recursive: true });
    writeFileSync(path.join(dir, file), text);
  }
  const spec = madeSpec({ dir, framework: 'unittest', strict: inject('holdsEveryLimit') });
  const run = await store.create({ kind: 'fix', spec, event: repairEventSchema });
  const { signal } = new AbortController();
  const { result } = await runRepair({ spec, run, proposers: [searchProposer()], signal });
  const rounds = run
    .events()
    .flatMap(({ event }) => (event.type === 'tested' ? [event.report.summary.failed] : []));
  const motivations = run
    .events()
    .flatMap(({ event }) =>
      event.type === 'proposed' && event.proposed.kind === 'proposal' ? [event.proposed.motivation] : [],
    );
  return { result, rounds, motivations };
}

const tier = `def tier(total):
    if total < 100:
        return 'basic'
    return 'gold'
`;
const area = `def area(width, height):
    return width + height
`;
const last = `def last(items):
    return items[len(items)]
`;
/** No small edit makes a Roman number of an integer. */
const roman = `def roman(n):
    return n
`;
const suite = (imports: string, ...cases: string[]) =>
  `import unittest\n${imports}\n\nclass All(unittest.TestCase):\n${cases.map((one) => `    ${one}\n`).join('')}`;
const tiers = [
  "def test_edge(self): self.assertEqual(tier(100), 'basic')",
  "def test_high(self): self.assertEqual(tier(500), 'gold')",
];
const areas = [
  'def test_area(self): self.assertEqual(area(3, 5), 15)',
  'def test_square(self): self.assertEqual(area(2, 2), 4)',
];
const lasts = ['def test_last(self): self.assertEqual(last([4, 7]), 7)'];
const romans = [
  "def test_four(self): self.assertEqual(roman(4), 'IV')",
  "def test_nine(self): self.assertEqual(roman(9), 'IX')",
];

// A search to its end is thousands of candidates: minutes where other tests have the machine.
describe('the built-in search on a project with several bugs', { timeout: 240_000 }, () => {
  it('mends two functions of one file, one after the other', async () => {
    const { result, rounds, motivations } = await repaired({
      'shop.py': `${tier}\n\n${area}`,
      'tests/__init__.py': '',
      'tests/test_shop.py': suite('from shop import area, tier', ...tiers, ...areas),
    });
    expect(result).toMatchObject({ status: 'done', tests: { total: 4, passed: 4 }, bestEffort: false });
    expect(rounds).toEqual([1, 0]);
    expect(motivations[0]).toContain('mends 1 of 2 failing tests');
    expect(result.patch).toMatch(/\+ {4}if total <= 100:[\s\S]*\+ {4}return width \* height/);
  });

  it('mends two files', async () => {
    const { result, rounds } = await repaired({
      'shop/__init__.py': '',
      'shop/tiers.py': tier,
      'shop/areas.py': area,
      'tests/__init__.py': '',
      'tests/test_tiers.py': suite('from shop.tiers import tier', ...tiers),
      'tests/test_areas.py': suite('from shop.areas import area', ...areas),
    });
    expect(result).toMatchObject({ status: 'done', tests: { total: 4, passed: 4 } });
    expect(rounds).toEqual([1, 0]);
    expect(result.patch).toMatch(/shop\/areas\.py[\s\S]*shop\/tiers\.py/);
  });

  it('mends three bugs', async () => {
    const { result, rounds } = await repaired({
      'shop.py': `${tier}\n\n${area}\n\n${last}`,
      'tests/__init__.py': '',
      'tests/test_shop.py': suite('from shop import area, last, tier', ...tiers, ...areas, ...lasts),
    });
    expect(result).toMatchObject({ status: 'done', tests: { total: 5, passed: 5 } });
    expect(rounds).toEqual([2, 1, 0]);
  });

  it('keeps what it could mend where another bug is beyond it, and says that it is not all', async () => {
    const { result, rounds } = await repaired({
      'shop.py': `${roman}\n\n${tier}`,
      'tests/__init__.py': '',
      'tests/test_shop.py': suite('from shop import roman, tier', ...tiers, ...romans),
    });
    expect(result).toMatchObject({
      status: 'stuck',
      bestEffort: true,
      tests: { total: 4, passed: 2, failed: 2 },
      patch: expect.stringContaining('+    if total <= 100:'),
      motivation: expect.stringContaining('mends 1 of 3 failing tests'),
    });
    expect(rounds).toEqual([2]);
  });
});
