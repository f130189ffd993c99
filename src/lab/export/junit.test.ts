import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toJunit } from './junit.ts';
import { readJunit } from './read-junit.ts';
import { anyReport, hostileText, sampleReport, testResult } from './reports.fixture.ts';
import { reportRows } from './rows.ts';
import { xmlSafe } from './xml-text.ts';

const shown = {
  failed: 'failed',
  error: 'error',
  missing: 'error',
  problem: 'error',
  verdict: 'error',
} as const;
const skipped = { skipped: 'skipped', xfailed: 'skipped', passed: 'passed', xpassed: 'passed' } as const;
const junitStatus = { ...shown, ...skipped };

describe('toJunit', () => {
  it('comes back through readJunit whole, for any report', () => {
    fc.assert(
      fc.property(anyReport, (report) => {
        const read = readJunit(toJunit(report));
        expect(read.cases).toEqual(
          reportRows(report).map((row) => {
            const red = row.status in shown;
            const message = row.status === 'skipped' || row.status === 'xfailed' ? row.skipReason : null;
            return {
              suites: [xmlSafe(report.framework)],
              classname: xmlSafe(row.file),
              name: xmlSafe(row.name),
              file: row.file === '' ? null : xmlSafe(row.file),
              line: row.line,
              status: junitStatus[row.status],
              durationMs: expect.closeTo(row.durationMs, -0.5),
              type: row.status === 'xfailed' ? 'xfail' : red ? xmlSafe(row.failure?.type ?? '') : '',
              message: xmlSafe(
                message ?? (red || row.status === 'xfailed' ? (row.failure?.message ?? '') : ''),
              ),
              trace: red ? xmlSafe(row.failure?.trace ?? '') : '',
              stdout: xmlSafe(row.stdout),
              stderr: xmlSafe(row.stderr),
            };
          }),
        );
        expect(read.stdout).toBe(xmlSafe(report.output.stdout));
        expect(read.properties.get('assay.verdict')).toBe(report.verdict);
      }),
    );
  });

  it('leaves no character that XML or a terminal trips over', () => {
    fc.assert(
      fc.property(hostileText, (name) => {
        const xml = toJunit(sampleReport({ tests: [testResult(name, { stdout: name })] }));
        expect(xml).toMatch(/^[\t\n\r\u{20}-\u{7e}\u{a0}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]*$/u);
      }),
    );
  });

  it('keeps white space of names and carriage returns of output', () => {
    const test = testResult('a\tb\r\nc', { file: '', stdout: 'x\r\ny\r' });
    const [read] = readJunit(toJunit(sampleReport({ tests: [test] }))).cases;
    expect(read).toMatchObject({ name: 'a\tb\r\nc', stdout: 'x\r\ny\r' });
  });

  it('is red where the verdict is, although every test is green', () => {
    const xml = toJunit(sampleReport({ verdict: 'tampered', reason: 'conftest.py was changed' }));
    expect(xml).toMatch(/<testsuites name="assay" tests="2" failures="0" errors="1"/);
    expect(readJunit(xml).cases.at(-1)).toMatchObject({
      status: 'error',
      type: 'tampered',
      message: 'conftest.py was changed',
    });
  });
});
