import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { indexFile } from './analysis/file-index.ts';
import { python } from './languages/python.ts';
import { localise } from './localise.ts';
import type { Suggestion } from './stream.ts';
import { suggestions } from './stream.ts';
import { suspectsOf } from './suspects.ts';
import { openParser } from './syntax/parser.ts';
import { parseFile } from './syntax/source-file.ts';
import { templates } from './templates/index.ts';

const matrix = readFileSync(path.join(import.meta.dirname, 'fixtures/matrix.py'), 'utf8');

/** The first `count` suggestions when one failing test ran the lines given, and how many sites were looked at. */
async function first(source: string, lines: readonly number[], count: number) {
  const parser = await openParser(python);
  const file = parseFile('a.py', source, parser);
  const localisation = localise({
    coverage: { tests: [{ id: 't', passed: false, lines: { 'a.py': [...lines] } }] },
    failing: [],
    flaky: [],
    editable: () => true,
  });
  let asked = 0;
  const counting = templates.map((template) => ({
    ...template,
    *rewrites(place: Parameters<typeof template.rewrites>[0]) {
      asked += 1;
      yield* template.rewrites(place);
    },
  }));
  const files = [{ weight: 1, suspects: () => suspectsOf(indexFile(file), localisation) }];
  const taken: Suggestion[] = [];
  for (const suggestion of suggestions({ files, templates: counting, hint: () => 1 })) {
    taken.push(suggestion);
    if (taken.length >= count) break;
  }
  parser.close();
  return { taken, asked };
}

const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, at) => from + at);

describe('suggestions', () => {
  it('come in the same order every time', async () => {
    const names = async () =>
      (await first(matrix, range(1, 40), 800)).taken.map(({ rewrite }) => rewrite.splices);
    expect(await names()).toEqual(await names());
  });

  it('come best first', async () => {
    const { taken } = await first(matrix, range(5, 18), 300);
    const scores = taken.map(({ score }) => score);
    const sorted = [...scores].sort((a, b) => b - a);
    // The crowd rule may let a later one pass, never by much.
    for (const [at, score] of scores.entries()) expect(score).toBeGreaterThan((sorted[at] ?? 0) * 0.5);
    expect(taken[0]?.score).toBe(sorted[0]);
  });

  it('stay on lines that a failing test ran, and on what ran at import', async () => {
    const { taken } = await first(matrix, [9, 10], 5000);
    const far = taken.filter(({ site }) => site.scope.kind === 'function' && (site.from > 10 || site.to < 9));
    expect(far).toEqual([]);
    expect(taken.length).toBeGreaterThan(50);
  });

  it('ask only the templates whose turn has come', async () => {
    const long = Array.from({ length: 300 }, (_, at) => matrix.replaceAll(/def (\w+)/g, `def $1_${at}`)).join(
      '\n',
    );
    const lines = long.split('\n').length;
    const { taken, asked } = await first(long, range(1, lines), 500);
    expect(taken).toHaveLength(500);
    expect(asked).toBeLessThan(lines * 4);
  });

  it('let a long function not starve a short one', async () => {
    const body = range(1, 150).map((at) => `    if x${at} < ${at}: y = x${at} + ${at}`);
    const source = `def long(x):\n${body.join('\n')}\n\n\ndef short(a, b):\n    return a < b\n`;
    const { taken } = await first(source, range(1, 155), 1500);
    const at = taken.findIndex(
      ({ site, rewrite }) => site.from === 155 && rewrite.what === '`<` becomes `>`',
    );
    expect(at).toBeGreaterThan(-1);
  });
});
