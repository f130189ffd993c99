import type { ModelSettings, Report, TestResult } from '../../core/index.ts';
import type { CallLog, Feedback, ProposerTools } from '../types.ts';
import { noCallLog } from './call-log.ts';

export type MadeFailure = { id: string; message?: string; trace?: string; file?: string; line?: number };

/** A failing test of a made feedback. */
export function failingTest({
  id,
  message = 'assert 1 == 2',
  trace,
  file,
  line = 3,
}: MadeFailure): TestResult {
  const [ownFile = id] = id.split('::');
  const frames = [
    { file: file ?? ownFile, line, function: 'test', inProject: true },
    { file: 'src/total.py', line: 4, function: 'total', inProject: true },
  ];
  return {
    id,
    file: file ?? ownFile,
    line,
    status: 'failed',
    durationMs: 1,
    failure: { type: 'AssertionError', message, trace: trace ?? `Traceback of ${id}\nE ${message}`, frames },
    skipReason: null,
    stdout: '',
    stderr: '',
  };
}

/** A feedback whose report holds its failing tests and nothing else of note. */
export function madeFeedback(given: Partial<Feedback> = {}): Feedback {
  const failing = given.failing ?? [failingTest({ id: 'tests/test_total.py::test_sum' })];
  const report = {
    verdict: 'failed',
    reason: 'tests fail',
    tests: failing,
    problems: [],
    integrity: { newlySkipped: [] },
    output: { stdout: '', stderr: '', truncated: false },
    summary: { total: failing.length + 2, passed: 2, failed: failing.length, skipped: 0 },
  } as unknown as Report;
  return {
    task: null,
    round: 1,
    roundsLeft: 5,
    report,
    failing,
    flaky: [],
    diff: '',
    attempts: [],
    refusals: [],
    steering: [],
    ...given,
  };
}

export const smallProject: Readonly<Record<string, string>> = {
  'src/total.py':
    'def total(items):\n    result = 0\n    for item in items[:-1]:\n        result += item\n    return result\n',
  'tests/test_total.py': 'from src.total import total\n\ndef test_sum():\n    assert total([1, 2, 3]) == 6\n',
};

export type MadeToolsOptions = {
  files?: Readonly<Record<string, string>>;
  budget?: Partial<ProposerTools['budget']>;
  calls?: CallLog;
  signal?: AbortSignal;
  coverage?: ProposerTools['coverage'];
  onProgress?: ProposerTools['onProgress'];
};

/** Tools over a few files in memory; `tests/` is protected and nothing can be traced. */
export function madeTools(options: MadeToolsOptions = {}): ProposerTools {
  const { files = smallProject, budget, calls = noCallLog, onProgress } = options;
  return {
    files: Object.keys(files).toSorted(),
    read: (path) => (Object.hasOwn(files, path) ? (files[path] ?? null) : null),
    protectedBecause: (path) => (path.startsWith('tests/') ? 'a test' : null),
    evaluate: async () => [],
    coverage: options.coverage ?? (() => Promise.reject(new Error('cannot be traced'))),
    budget: { candidates: null, wallMs: 600_000, tokens: null, costUsd: null, ...budget },
    signal: options.signal ?? new AbortController().signal,
    calls,
    seed: 1,
    ...(onProgress && { onProgress }),
  };
}

/** Settings without limits of note. */
export function madeSettings(given: Partial<ModelSettings> = {}): ModelSettings {
  return {
    baseUrl: null,
    transport: 'auto',
    prices: {},
    contextTokens: 100_000,
    maxOutputTokens: 4000,
    ...given,
  };
}
