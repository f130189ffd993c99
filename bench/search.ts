import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { Candidate, CandidateResult, FileChange, Report } from '../src/core/index.ts';
import {
  collect,
  type Expected,
  openEvaluator,
  openProject,
  type Project,
  runLab,
} from '../src/lab/index.ts';
import { noCallLog, searchProposer } from '../src/propose/index.ts';
import type { Section } from './run.ts';

const example = path.resolve(import.meta.dirname, '../examples/python-invoice');
/** Candidates judged warm at most, and those of them that are judged cold too. */
const [warmCount, coldCount] = [1_000, 12];

type Opened = { project: Project; expected: Expected; baseline: Report };

/** Candidates judged per second by the warm evaluator, and by one pytest each, on the same candidates. */
export async function bench(): Promise<Section> {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'assay-bench-search-'));
  try {
    const opened = await open(folder);
    const warm = await judgeWarm(opened);
    const some = warm.judged.filter(({ result }) => result.status !== 'hung').slice(0, coldCount);
    const labMs = await judgeInLab(
      opened,
      some.map(({ candidate }) => candidate),
    );
    const handMs = judgeByHand(
      folder,
      some.map(({ candidate }) => candidate),
    );
    return {
      title: 'Search: candidates judged per second',
      lines: table({ warm, some: some.length, labMs, handMs }),
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function open(folder: string): Promise<Opened> {
  const scratch = path.join(folder, 'scratch');
  mkdirSync(scratch);
  const project = await openProject({ dir: example, scratch });
  const expected = await collect({ project });
  return { project, expected, baseline: await runLab({ project, expected, changes: [] }) };
}

type Judged = { candidate: Candidate; result: CandidateResult };
type Warm = { judged: Judged[]; startMs: number; judgingMs: number; hungMs: number; restarts: number };

/** The search's own candidates in its own order; what it would end after is judged on, for a steady rate. */
async function judgeWarm({ project, baseline }: Opened): Promise<Warm> {
  const evaluator = await openEvaluator({ project, baseline });
  const judged: Judged[] = [];
  let judgingMs = 0;
  const startedMs = performance.now();
  const coverage = await evaluator.coverage();
  const startMs = performance.now() - startedMs;
  const signal = new AbortController().signal;
  try {
    await searchProposer().propose(
      {
        ...{ task: null, round: 1, roundsLeft: 1, report: baseline, flaky: [], diff: '', attempts: [] },
        ...{ refusals: [], steering: [], failing: baseline.tests.filter((test) => test.status === 'failed') },
      },
      {
        files: project.files,
        read: (file) => Buffer.from(project.read(file)).toString('utf8'),
        protectedBecause: (file) => project.protectedBecause(file),
        coverage: async () => coverage,
        budget: { candidates: warmCount, wallMs: 120_000, tokens: null, costUsd: null },
        calls: noCallLog,
        signal,
        seed: 1,
        evaluate: async (candidates, options) => {
          const sinceMs = performance.now();
          const results = await evaluator.evaluate(candidates, options);
          judgingMs += performance.now() - sinceMs;
          results.forEach((result, index) => {
            const candidate = candidates[index];
            if (candidate) judged.push({ candidate, result });
          });
          // Told that none passes, the search goes on through its whole space.
          return results.map((each) =>
            each.status === 'passed' ? { ...each, status: 'failed' as const } : each,
          );
        },
      },
    );
    const hung = judged.filter(({ result }) => result.status === 'hung');
    const hungMs = hung.reduce((sum, { result }) => sum + result.durationMs, 0) / os.availableParallelism();
    return { judged, startMs, judgingMs, hungMs, restarts: evaluator.restarts };
  } finally {
    await evaluator.close();
  }
}

async function judgeInLab({ project, expected }: Opened, candidates: Candidate[]): Promise<number> {
  const startedMs = performance.now();
  for (const { files } of candidates) {
    const changes = files.map(
      ({ path: file, content }): FileChange => ({
        path: file,
        before: project.read(file),
        after: Buffer.from(content),
        mode: project.mode(file),
      }),
    );
    await runLab({ project, expected, changes });
  }
  return (performance.now() - startedMs) / candidates.length;
}

/** The same tests by the same Python, started by hand with no sandbox. The candidates are this project's own code. */
function judgeByHand(folder: string, candidates: Candidate[]): number {
  const dir = path.join(folder, 'by-hand');
  const python = path.resolve(import.meta.dirname, '../.venv/bin/python');
  const startedMs = performance.now();
  for (const { files } of candidates) {
    rmSync(dir, { recursive: true, force: true });
    cpSync(example, dir, { recursive: true });
    for (const { path: file, content } of files) writeFileSync(path.join(dir, file), content);
    spawnSync(python, ['-m', 'pytest', '-q', '-x', '-p', 'no:cacheprovider'], { cwd: dir });
  }
  return (performance.now() - startedMs) / candidates.length;
}

function table(measured: { warm: Warm; some: number; labMs: number; handMs: number }): string[] {
  const { warm, some, labMs, handMs } = measured;
  const hung = warm.judged.filter(({ result }) => result.status === 'hung').length;
  const quick = warm.judged.length - hung;
  const rate = quick / ((warm.judgingMs - warm.hungMs) / 1_000);
  const cores = os.availableParallelism();
  const plugins = spawnSync(path.resolve(import.meta.dirname, '../.venv/bin/python'), [
    '-c',
    'from importlib.metadata import entry_points as e; print(", ".join(sorted(p.name for p in e(group="pytest11"))) or "none")',
  ]);
  return [
    '| how | per second | per candidate |',
    '|---|---:|---:|',
    `| warm evaluator, ${cores} fork servers | **${rate.toFixed(0)}** | ${(1_000 / rate).toFixed(1)} ms |`,
    `| one cold lab run each, one after the other | ${(1_000 / labMs).toFixed(1)} | ${labMs.toFixed(0)} ms |`,
    `| one cold \`pytest -x\` by hand each, no sandbox | ${(1_000 / handMs).toFixed(1)} | ${handMs.toFixed(0)} ms |`,
    '',
    `On \`examples/python-invoice\`: ${warm.judged.length} candidates of the search, ${hung} of them hung and are counted`,
    `apart (${warm.hungMs.toFixed(0)} ms of the judging time); ${some} of the others were judged cold. Starting the evaluator and`,
    `tracing every test took ${warm.startMs.toFixed(0)} ms, ${warm.restarts} restarts. pytest plugins installed: ${String(plugins.stdout).trim()}.`,
    'Target: 60 per second on 2 cores.',
  ];
}
