import { describe, expect, it } from 'vitest';
import type { Frame, TestResult } from '../../core/index.ts';
import { localise } from './localise.ts';

function failed(id: string, frames: Partial<Frame>[] = []): TestResult {
  return {
    id,
    file: 'tests/test_a.py',
    line: 1,
    status: 'failed',
    durationMs: 1,
    failure: {
      type: 'AssertionError',
      message: '',
      trace: '',
      frames: frames.map((frame) => ({ file: 'a.py', line: 1, function: 'f', inProject: true, ...frame })),
    },
    skipReason: null,
    stdout: '',
    stderr: '',
  };
}

const ran = (id: string, passed: boolean, lines: number[], file = 'a.py') => ({
  id,
  passed,
  lines: { [file]: lines },
});
const editable = (path: string) => !path.startsWith('tests/');

describe('localise', () => {
  it('weighs lines by Ochiai: ef / sqrt(F * (ef + ep))', () => {
    const found = localise({
      coverage: {
        tests: [
          ran('f1', false, [1, 2]),
          ran('f2', false, [2, 3]),
          ran('p1', true, [2, 4]),
          ran('p2', true, [4]),
        ],
      },
      failing: [failed('f1'), failed('f2')],
      flaky: [],
      editable,
    });
    expect(found.of('a.py', 1, 1)).toMatchObject({ ochiai: 1 / Math.sqrt(2), failing: 1 });
    expect(found.of('a.py', 2, 2)).toMatchObject({ ochiai: 2 / Math.sqrt(2 * 3), failing: 2 });
    expect(found.of('a.py', 4, 4).weight).toBe(0);
    expect(found.of('a.py', 1, 4).failing).toBe(2);
    expect(found).toMatchObject({ failing: 2, passing: 2, files: ['a.py'] });
  });

  it('raises the lines of a stack trace, the one that raised most', () => {
    const found = localise({
      coverage: { tests: [ran('f1', false, [1, 2, 3])] },
      failing: [failed('f1', [{ line: 1 }, { line: 3 }])],
      flaky: [],
      editable,
    });
    const weight = (line: number) => found.of('a.py', line, line).weight;
    expect(weight(3)).toBeGreaterThan(weight(1));
    expect(weight(1)).toBeGreaterThan(weight(2));
    expect(found.of('a.py', 3, 3).ochiai).toBe(1);
  });

  it('counts no flaky test, and nothing in files that may not be edited', () => {
    const found = localise({
      coverage: {
        tests: [
          ran('f1', false, [1]),
          ran('flaky', false, [2]),
          { id: 'f1b', passed: false, lines: { 'tests/test_a.py': [1] } },
        ],
      },
      failing: [failed('f1', [{ file: 'tests/test_a.py', line: 9 }])],
      flaky: ['flaky'],
      editable,
    });
    expect(found.files).toEqual(['a.py']);
    expect(found.of('a.py', 2, 2).weight).toBe(0);
  });

  it('goes by stack traces where a failing test left no coverage', () => {
    const found = localise({
      coverage: { tests: [ran('p1', true, [1, 2])] },
      failing: [failed('hung', [{ file: 'b.py', line: 7 }])],
      flaky: [],
      editable,
    });
    expect(found.files[0]).toBe('b.py');
    expect(found.of('b.py', 7, 7).weight).toBeGreaterThan(found.of('a.py', 1, 2).weight);
    expect(found.of('a.py', 1, 2).weight).toBeGreaterThan(0);
  });
});
