import { describe, expect, it } from 'vitest';
import type { CellResult } from '../../core/index.ts';
import { fakeKernel } from '../fake-kernel.ts';
import { watchEvidence } from './cell-evidence.ts';
import { missingGlyphs } from './glyphs.ts';

const result = (outputs: CellResult['outputs'], warnings: string[] = []): CellResult => ({
  end: { status: 'ok' },
  executionCount: 1,
  outputs,
  streamBytes: { stdout: 0, stderr: 0 },
  truncated: false,
  durationMs: 1,
  warnings,
});

describe('watchEvidence', () => {
  it('runs nothing in a kernel of another language, and says once what it cannot tell', async () => {
    const kernel = fakeKernel({ replies: [], info: { language: 'R' } });
    const watch = watchEvidence(kernel);
    await watch.ground();
    const { evidence: first } = await watch.after({ result: result([]) });
    expect(first.variables).toBeNull();
    expect(first.warnings).toEqual([
      'The variables of a kernel of R and the series of its figures are not looked at: only those of Python are.',
    ]);
    expect((await watch.after({ result: result([]) })).evidence.warnings).toEqual([]);
    expect(kernel.executed).toEqual([]);
  });

  it('still tells the files of a Python kernel that cannot be looked into', async () => {
    const kernel = fakeKernel({
      replies: () => ({
        end: { status: 'error', ename: 'ModuleNotFoundError', evalue: "No module named 'IPython'" },
      }),
      files: { 'a.csv': '1' },
    });
    const watch = watchEvidence(kernel);
    expect(await watch.ground()).toHaveLength(1);
    await kernel.files.write('b.csv', Buffer.from('2'));
    const { files, variables, warnings } = (await watch.after({ result: result([]) })).evidence;
    expect(files.created.map(({ path }) => path)).toEqual(['b.csv']);
    expect(variables).toBeNull();
    expect(warnings).toContain(
      "The variables could not be looked at: ModuleNotFoundError: No module named 'IPython'",
    );
  });
});

describe('missingGlyphs', () => {
  const stderr = (text: string) => result([{ output_type: 'stream', name: 'stderr', text }]);

  it.each([
    ['of matplotlib 3.6', 'Glyph 20013 (\\N{CJK UNIFIED IDEOGRAPH-4E2D}) missing from current font.'],
    ['of matplotlib 3.11', 'Glyph 20013 (\\N{CJK UNIFIED IDEOGRAPH-4E2D}) missing from font(s) DejaVu Sans.'],
  ])('finds the wording %s', (_, text) => {
    const [warning] = missingGlyphs(stderr(`a.py:1: UserWarning: ${text}\n  fig.canvas.draw()\n`));
    expect(warning).toContain('instead of the characters 中');
  });

  it('says nothing of what is said already, or of other warnings', () => {
    const shown = stderr('UserWarning: Glyph 20013 missing from current font.\n');
    expect(missingGlyphs({ ...shown, warnings: missingGlyphs(shown) })).toEqual([]);
    expect(missingGlyphs(stderr('UserWarning: the glyph of a palm\n'))).toEqual([]);
  });
});
