import { stripVTControlCharacters } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Report } from '../../core/index.ts';
import { renderReport } from './render-report.ts';
import { anyReport, sampleReport, testResult } from './reports.fixture.ts';

const plain = { color: false, width: 80 };

function failing(id: string, over = {}): ReturnType<typeof testResult> {
  return testResult(id, {
    status: 'failed',
    failure: {
      type: 'AssertionError',
      message: 'assert 4000 == 3840',
      trace: 'the whole long trace',
      frames: [
        { file: '/usr/lib/python3/site.py', line: 1, function: 'lib', inProject: false },
        { file: 'tests/test_a.py', line: 15, function: 'test_box', inProject: true },
        { file: 'shop/line.py', line: 24, function: 'net', inProject: true },
      ],
      ...over,
    },
  });
}

describe('renderReport', () => {
  it('says first what came out, then why, then what to do', () => {
    const report = sampleReport({
      verdict: 'failed',
      reason: '1 of 2 tests failed',
      tests: [testResult('tests/test_a.py::test_one'), failing('tests/test_a.py::test_box')],
      warnings: ['2 files are too large to copy'],
    });
    expect(renderReport(report, plain)).toBe(
      `failed  1 of 2 tests failed
1 of 2 passed · 1 failed · pytest · 0.41 s

failed tests/test_a.py::test_box
  AssertionError: assert 4000 == 3840
  at tests/test_a.py:15 in test_box
  at shop/line.py:24 in net

warning 2 files are too large to copy

sandbox no network · own uid 60001 · seccomp · memory cgroup1 · pids cgroup1 · cpu cgroup1 · disk tmpfs
next    let assay look for a patch: assay fix DIR
`,
    );
  });

  it('advises no patch where nothing but the network is missing', () => {
    const offline = failing('t', { message: 'getaddrinfo EAI_AGAIN example.com' });
    const next = (tests: Report['tests']) =>
      renderReport(sampleReport({ verdict: 'failed', tests }), plain).split('next    ')[1];
    expect(next([offline])).toMatch(/^let the tests talk to a server of their own on localhost/);
    expect(next([offline, failing('u')])).toMatch(/^let assay look for a patch/);
  });

  it('advises what can help: a model for JavaScript, another list for ids that there are not', () => {
    const next = (report: Report) => renderReport(report, plain).split('next    ')[1];
    const red = sampleReport({ verdict: 'failed', tests: [failing('t')] });
    expect(next({ ...red, framework: 'node-test' })).toMatch(/assay fix DIR --model PROVIDER\/MODEL$/m);
    const sample = sampleReport({ verdict: 'failed' });
    const given = { ...sample.integrity, expected: 'given' as const, missing: ['test_none'] };
    expect(next({ ...sample, integrity: given })).toMatch(/^check the ids in the list of --expect/);
    const skipped = { ...sample.integrity, newlySkipped: ['t'] };
    expect(next({ ...sample, integrity: skipped })).toMatch(/^find out why these tests are skipped/);
  });

  it('breaks the rows of a sentence, where that is wanted', () => {
    const wrap = (row: string, indent: number) => row.replace('one two', `one\n${' '.repeat(indent)}two`);
    const text = renderReport(sampleReport({ warnings: ['one two'] }), { ...plain, wrap });
    expect(text).toContain('warning one\n        two\n');
  });

  it('has nothing to advise after a pass', () => {
    const text = renderReport(sampleReport(), plain);
    expect(text).toMatch(/^passed {2}every expected test passed\n1 of 1 passed · pytest/);
    expect(text).not.toContain('next');
  });

  it('shows the end of the trace where no frame is of the project', () => {
    const trace = Array.from({ length: 30 }, (_, index) => `line ${index}`).join('\n');
    const report = sampleReport({ verdict: 'failed', tests: [failing('t', { trace, frames: [] })] });
    const text = renderReport(report, plain);
    expect(text).toContain('line 29');
    expect(text).not.toContain('line 17\n');
  });

  it('shows what a run last printed that ended badly without saying why', () => {
    const output = { stdout: 'started', stderr: 'cannot open shared object file', truncated: false };
    const report = sampleReport({
      verdict: 'error',
      reason: 'the test runner never started',
      tests: [],
      output,
    });
    expect(renderReport(report, plain)).toContain('last printed:\n  cannot open shared object file');
    expect(renderReport({ ...report, verdict: 'failed' }, plain)).not.toContain('last printed');
  });

  it('names a hundred failing tests without burying the verdict', () => {
    const tests = Array.from({ length: 100 }, (_, index) => failing(`t${index}`));
    const text = renderReport(sampleReport({ verdict: 'failed', tests }), plain);
    expect(text).toContain('90 more failing tests:');
    expect(text).toContain('  ... 50 more');
    expect(text.split('\n').length).toBeLessThan(120);
  });

  it.each([
    ['missing', { missing: ['t::gone'] }],
    ['protected file changed', { changedFiles: ['tests/test_a.py'] }],
    ['not a test of the original project', { extra: ['t::forged'] }],
    ['newly skipped', { newlySkipped: ['t::skipped'] }],
  ])('lists what is %s', (title, facts) => {
    const sample = sampleReport({ verdict: 'tampered' });
    const text = renderReport({ ...sample, integrity: { ...sample.integrity, ...facts } }, plain);
    expect(text).toContain(`${title}:\n  ${Object.values(facts)[0]}`);
  });

  it('colours on request only, and the words are the same', () => {
    const report = sampleReport({ verdict: 'failed', tests: [failing('t')] });
    const colored = renderReport(report, { color: true, width: 80 });
    expect(colored).toContain('\u001b[');
    expect(stripVTControlCharacters(colored)).toBe(renderReport(report, plain));
  });

  it('lets nothing from the sandbox act on the terminal, for any report (case 33)', () => {
    fc.assert(
      fc.property(anyReport, (report: Report) => {
        const text = renderReport(report, plain);
        expect(text).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]/);
        const [first, ...others] = text.split('\n');
        expect(first).toMatch(new RegExp(`^${report.verdict}  `));
        // No name and no message makes a line that reads as another verdict than this one.
        expect(others.filter((each) => each.startsWith('passed  '))).toEqual([]);
      }),
    );
  });

  it('cuts evidence to the width, but never an id or a path', () => {
    const id = `tests/test_a.py::${'long_'.repeat(40)}name`;
    const report = sampleReport({ verdict: 'failed', tests: [failing(id, { message: 'x'.repeat(500) })] });
    const lines = renderReport(report, { color: false, width: 60 }).split('\n');
    expect(lines).toContain(`failed ${id}`);
    expect(lines.find((each) => each.includes('xxx'))?.length).toBe(60);
  });
});
