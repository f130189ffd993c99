import { createHash } from 'node:crypto';
import type { CandidateResult, FileChange, Report } from '../core/index.ts';
import { AssayError } from '../core/index.ts';
import type { LabJob, OpenEvaluatorOptions, Project } from '../lab/index.ts';
import type { Lab } from './lab-port.ts';
import { madeReport } from './made.ts';
import { failingIds } from './standing.ts';

export type FakeLabOptions = {
  /** The project: text by path. Folders named `tests` are protected, `held_out` below them is hidden. */
  files: Record<string, string>;
  /** The tests as functions of the files: null where one passes, else its message. */
  tests: Record<string, (files: ReadonlyMap<string, string>) => string | null>;
  /** Called at every door; may throw. */
  before?: (door: 'openProject' | 'runLab' | 'openEvaluator', job?: LabJob) => void | Promise<void>;
};

/** A lab without a sandbox, judging texts by functions: the test double for whole repair runs. */
export function fakeLab(options: FakeLabOptions): Lab & {
  readonly jobs: LabJob[];
  /** Evaluators opened and not yet closed. */
  readonly warm: number;
} {
  const jobs: LabJob[] = [];
  let warm = 0;
  const judge = (changes: readonly FileChange[], wanted: LabJob['tests']): Report => {
    const files = patched(options.files, changes);
    const failing: Record<string, string> = {};
    const passing: string[] = [];
    for (const [id, test] of Object.entries(options.tests)) {
      if (isHidden(id) && wanted !== 'all') continue;
      const message = test(files);
      if (message === null) passing.push(id);
      else failing[id] = message;
    }
    return madeReport({ passing, failing });
  };
  return {
    jobs,
    get warm() {
      return warm;
    },
    async openProject({ dir, packed }) {
      await options.before?.('openProject');
      const files = packed === undefined ? options.files : JSON.parse(Buffer.from(packed).toString('utf8'));
      return fakeProject(dir, files as Record<string, string>);
    },
    packProject: async () => Buffer.from(JSON.stringify(options.files)),
    async collect({ tests }) {
      const ids = Object.keys(options.tests).filter((id) => tests === 'all' || !isHidden(id));
      return { source: 'collected', ids, skipped: [] };
    },
    async runLab(job) {
      jobs.push(job);
      await options.before?.('runLab', job);
      const report = judge(job.changes, job.tests);
      const red = failingIds(report, job.ignore).length > 0;
      return { ...report, verdict: red ? 'failed' : 'passed' };
    },
    async openEvaluator({ baseline, changes: ground = [], ignore = [] }: OpenEvaluatorOptions) {
      await options.before?.('openEvaluator');
      warm++;
      const tests = baseline.tests.map(({ id }) => id).filter((id) => !ignore.includes(id));
      return {
        restarts: 0,
        async evaluate(candidates, { onResult }) {
          return candidates.map(({ id, files }) => {
            const changes = files.map(({ path, content }) => change(path, content));
            const result = resultOf(id, judge([...ground, ...changes], 'visible'), tests);
            onResult?.(result);
            return result;
          });
        },
        coverage: async () => ({ tests: tests.map((id) => ({ id, passed: true, lines: {} })) }),
        close: async () => {
          warm--;
        },
      };
    },
  };
}

const isHidden = (id: string) => id.startsWith('tests/held_out/');

const change = (path: string, content: string): FileChange => ({
  path,
  before: null,
  after: Buffer.from(content),
  mode: 0o644,
});

function resultOf(id: string, report: Report, tests: string[]): CandidateResult {
  const failed = failingIds(report).filter((test) => tests.includes(test));
  return {
    id,
    status: failed.length === 0 ? 'passed' : 'failed',
    testsPassed: tests.length - failed.length,
    failedTest: failed[0] ?? null,
    durationMs: 1,
  };
}

function patched(files: Record<string, string>, changes: readonly FileChange[]): Map<string, string> {
  const after = new Map(Object.entries(files));
  for (const { path, after: bytes } of changes) {
    if (bytes === null) after.delete(path);
    else after.set(path, Buffer.from(bytes).toString('utf8'));
  }
  return after;
}

function fakeProject(dir: string, files: Record<string, string>): Project {
  const all = Object.keys(files).toSorted();
  const shown = all.filter((file) => !isHidden(file));
  const hash = (file: string) =>
    createHash('sha256')
      .update(files[file] ?? '')
      .digest('hex');
  return {
    dir,
    framework: 'pytest',
    files: shown,
    read(path) {
      const text = files[path];
      if (text === undefined || isHidden(path))
        throw new AssayError({ code: 'internal', message: `${path} is not in the project`, fix: '' });
      return Buffer.from(text);
    },
    mode: () => 0o644,
    protectedBecause: (path) => (path.startsWith('tests/') ? 'it is a test' : null),
    autoLoaded: (path) => path.endsWith('conftest.py'),
    heldOut: all.filter(isHidden),
    warnings: [],
    hashes: new Map(all.map((file) => [file, hash(file)])),
  };
}
