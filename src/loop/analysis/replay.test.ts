import { describe, expect, it } from 'vitest';
import type { CellEnd, CellResult } from '../../core/index.ts';
import { noEvidence } from './holdings.ts';
import { differenceOf, replayOf } from './replay.ts';
import type { RanCell } from './state.ts';

const result = (text: string, end: CellEnd = { status: 'ok' }): CellResult => ({
  end,
  executionCount: 1,
  outputs: [{ output_type: 'stream', name: 'stdout', text }],
  streamBytes: { stdout: text.length, stderr: 0 },
  truncated: false,
  durationMs: 1,
  warnings: [],
});
const ran = (cell: number, end: CellEnd, cut = false): RanCell => ({
  ...{ subtask: 's', cell, purpose: 'work', code: `cell ${cell}`, artifacts: [], cut },
  result: result('x', end),
  evidence: noEvidence,
});

describe('replayOf', () => {
  it('runs what ended by itself, starts anew where the state was lost, and leaves out what was cut', () => {
    const cells = [
      ran(1, { status: 'ok' }),
      ran(2, { status: 'error', ename: 'E', evalue: '' }),
      ran(3, { status: 'timeout', deadlineMs: 1, stateLost: false }),
      ran(4, { status: 'died', cause: 'oom', detail: '' }),
      ran(5, { status: 'ok' }),
      ran(6, { status: 'timeout', deadlineMs: 1, stateLost: true }),
      ran(7, { status: 'interrupted', stateLost: true }, true),
      ran(8, { status: 'ok' }),
    ];
    const steps = replayOf({ cells }).map((step) => (step.kind === 'cell' ? step.ran.cell : step.kind));
    expect(steps).toEqual([1, 2, 'restart', 5, 'restart', 8]);
  });
});

describe('differenceOf', () => {
  const before = { ...ran(3, { status: 'ok' }), result: result('mean 4.2 in 0.3 s at 0x7f01') };

  it('sees none in times and addresses', () => {
    const now = result('mean 4.2 in 0.9 s at 0x7f99');
    expect(differenceOf(before, { result: now, evidence: noEvidence })).toBeNull();
  });

  it('tells another output, another end and another file', () => {
    const told = (now: CellResult, evidence = noEvidence) =>
      differenceOf(before, { result: now, evidence })?.detail;
    expect(told(result('mean 4.3'))).toContain('and now "stdout: mean 4.3"');
    expect(told({ ...before.result, outputs: [] })).toContain('and now nothing');
    expect(told(result('x', { status: 'error', ename: 'KeyError', evalue: 'a' }))).toBe(
      'it ended as ok, and now as error (KeyError)',
    );
    const file = { path: 'a.csv', bytes: 1, sha256: 'one' };
    const made = { ...noEvidence, files: { ...noEvidence.files, created: [file] } };
    const other = { ...noEvidence, files: { ...noEvidence.files, created: [{ ...file, sha256: 'two' }] } };
    expect(
      differenceOf({ ...before, evidence: made }, { result: before.result, evidence: other })?.detail,
    ).toContain('a.csv');
    expect(differenceOf({ ...before, evidence: made }, { result: before.result, evidence: made })).toBeNull();
  });
});
