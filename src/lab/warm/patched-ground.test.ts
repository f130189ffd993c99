import * as fs from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { FileChange } from '../../core/index.ts';
import { commands, labFixture } from '../lab.fixture.ts';
import { openedOf } from '../project/opened.ts';
import { collect } from '../run/collect.ts';
import { runLab } from '../run/run-lab.ts';
import { openEvaluator } from './evaluator.ts';

const { write, open } = labFixture();

const source = 'def add(a, b):\n    return a - b\n\n\ndef twice(a):\n    return a + a + a\n';
const tests = `from sums import add, twice

def test_add(): assert add(2, 1) == 3
def test_twice(): assert twice(2) == 4
`;
/** A comment above moves every line by one, and a new file holds what the first function returns. */
const patched = `from more import plus\n${source.replace('a - b', 'plus(a, b)')}`;
const changes: FileChange[] = [
  { path: 'sums.py', before: Buffer.from(source), after: Buffer.from(patched), mode: 0o644 },
  { path: 'more.py', before: null, after: Buffer.from('def plus(a, b):\n    return a + b\n'), mode: 0o644 },
  { path: 'old.py', before: Buffer.from('x = 1\n'), after: null, mode: 0o644 },
];
const mended = patched.replace('a + a + a', '2 * a');

describe('the warm evaluator on a patch', () => {
  it('lays candidates on it and covers its lines, and leaves nothing behind', async () => {
    const dir = write({ 'sums.py': source, 'old.py': 'x = 1\n', 'test_sums.py': tests });
    const project = await open(dir, { testCommand: commands.pytest });
    const expected = await collect({ project });
    const baseline = await runLab({ project, changes, expected });
    expect(baseline.summary).toMatchObject({ passed: 1, failed: 1 });
    const evaluator = await openEvaluator({ project, changes, baseline, workers: 1 });
    const { scratch } = openedOf(project);
    try {
      const judged = await evaluator.evaluate(
        [
          { id: 'mends', files: [{ path: 'sums.py', content: mended }] },
          { id: 'as it is', files: [{ path: 'sums.py', content: `${patched}# the same\n` }] },
          {
            id: 'breaks the file of the patch',
            files: [{ path: 'more.py', content: 'def plus(a, b): pass\n' }],
          },
          { id: 'mends again', files: [{ path: 'sums.py', content: mended }] },
        ],
        { signal: new AbortController().signal },
      );
      expect(judged.map(({ status }) => status)).toEqual(['passed', 'failed', 'failed', 'passed']);
      const covered = (await evaluator.coverage()).tests;
      expect(covered.find(({ id }) => id.endsWith('test_add'))?.lines).toEqual({
        'sums.py': expect.arrayContaining([3]),
        'more.py': expect.arrayContaining([2]),
      });
      expect(covered.find(({ id }) => id.endsWith('test_twice'))?.lines['sums.py']).toContain(7);
      expect(fs.readdirSync(scratch).filter((name) => name.startsWith('warm-'))).toHaveLength(1);
    } finally {
      await evaluator.close();
    }
    expect(fs.readdirSync(scratch).filter((name) => name.startsWith('warm-'))).toEqual([]);
  });
});
