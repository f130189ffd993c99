/**
 * What asking a model costs before it is asked: packing thousands of failing tests, and the way from the start of the
 * process to the first call in a large project. Run alone: `node bench/model.ts`.
 */
import { spawn } from 'node:child_process';
import * as fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { repairEventSchema } from '../src/core/index.ts';
import { groupFailures, madeReport } from '../src/loop/index.ts';
import { type Feedback, packFeedback } from '../src/propose/index.ts';
import { startScriptedServer } from '../src/propose/model/scripted-server/server.fixture.ts';
import { median } from './median.ts';
import type { Section } from './run.ts';

const failingTests = 5_000;
const projectFiles = 2_000;
const packRounds = 15;
const startRounds = 5;

const root = path.resolve(import.meta.dirname, '..');
const own = path.join(root, '.venv/bin/python');
const python = fs.existsSync(own) ? own : 'python3';

export async function bench(): Promise<Section> {
  const packs = [8_000, 32_000, 128_000].map(measurePacking);
  const starts = await measureStarts();
  const row = (what: string, times: readonly number[], target: string) =>
    `| ${what} | **${median(times).toFixed(0)} ms** | ${Math.max(...times).toFixed(0)} ms | ${target} |`;
  return {
    title: 'Before a model is asked',
    lines: [
      '| what | median | slowest | to reach |',
      '|---|---:|---:|---|',
      ...packs.map(({ budget, times, tokens }) =>
        row(
          `${failingTests.toLocaleString('en')} failing tests packed into ${budget.toLocaleString('en')} tokens (${tokens.toLocaleString('en')} used)`,
          times,
          '200 ms',
        ),
      ),
      row(
        `${projectFiles.toLocaleString('en')} files, from the start of the process to the first call`,
        starts.map(({ totalMs }) => totalMs),
        '2 s',
      ),
      row(
        'of it the tests: collected once, run twice without a patch',
        starts.map(({ testsMs }) => testsMs),
        '',
      ),
      '',
      `The large project has ${projectFiles.toLocaleString('en')} files in 40 folders and 12 quick tests, one of them red; the model is a server on`,
      'this machine that notes when it is asked. The way there: the snapshot, collecting, the baseline twice, what each',
      'test ran (coverage), and packing.',
    ],
  };
}

function measurePacking(budget: number): { budget: number; times: number[]; tokens: number } {
  const feedback = hugeFeedback();
  const files = Array.from({ length: projectFiles }, (_, n) => `src/part_${n % 40}/module_${n}.py`);
  const times: number[] = [];
  let tokens = 0;
  for (let round = 0; round <= packRounds; round++) {
    const startMs = performance.now();
    const packed = packFeedback({ feedback, sources: [], files, budgetTokens: budget });
    const ms = performance.now() - startMs;
    if (packed.ok) tokens = Math.ceil(packed.text.length / 3.5);
    else if (packed.neededTokens <= budget) throw new Error('packing gave up although there is room');
    // The first round warms up.
    if (round > 0) times.push(ms);
  }
  return { budget, times, tokens };
}

function hugeFeedback(): Feedback {
  const ids = Array.from(
    { length: failingTests },
    (_, n) => `tests/test_${n % 200}.py::TestCase::test_number_${n}`,
  );
  const messages = Object.fromEntries(
    ids.map((id, n) => [id, `assert ${n} == ${n + 1}: part ${n % 37} of the sum`]),
  );
  const report = madeReport({ failing: messages, passing: [] });
  return {
    task: 'Sums must add up.',
    round: 1,
    roundsLeft: 5,
    report,
    failing: report.tests,
    groups: groupFailures(report.tests).map((group) => group.map(({ id }) => id)),
    flaky: [],
    diff: '',
    attempts: [],
    refusals: [],
    steering: [],
  };
}

type Start = { totalMs: number; testsMs: number };

async function measureStarts(): Promise<Start[]> {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-bench-model-'));
  try {
    const dir = path.join(folder, 'project');
    layOut(dir);
    const starts: Start[] = [];
    for (let round = 0; round <= startRounds; round++) {
      const start = await measureStart(dir, path.join(folder, `home-${round}`));
      if (round > 0) starts.push(start);
    }
    return starts;
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
}

async function measureStart(dir: string, home: string): Promise<Start> {
  let startMs = 0;
  let totalMs: number | null = null;
  const server = await startScriptedServer({
    script: () => {
      totalMs ??= performance.now() - startMs;
      return { text: 'no' };
    },
  });
  try {
    startMs = performance.now();
    const args = ['fix', dir, '--events', '--rounds', '1', '--test', `${python} -m pytest`];
    const model = ['--model', 'openai-compatible/bench', '--base-url', server.url];
    const child = spawn(process.execPath, [path.join(root, 'src/cli/main.ts'), ...args, ...model], {
      env: { ...process.env, ASSAY_HOME: home },
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const events = (await text(child.stdout)).split('\n').filter((line) => line.startsWith('{'));
    if (totalMs === null) throw new Error('the model was never asked');
    const testsMs = events
      .map((line) => repairEventSchema.parse(JSON.parse(line)))
      .reduce((sum, event) => (event.type === 'baseline_tested' ? sum + event.report.usage.wallMs : sum), 0);
    return { totalMs, testsMs };
  } finally {
    await server.close();
  }
}

function layOut(dir: string): void {
  for (let n = 0; n < projectFiles - 14; n++) {
    const folder = path.join(dir, 'src', `part_${n % 40}`);
    fs.mkdirSync(folder, { recursive: true });
    const body = Array.from({ length: 30 }, (_, at) => `def f_${at}(x):\n    return x * ${n} + ${at}\n`).join(
      '\n\n',
    );
    fs.writeFileSync(path.join(folder, `module_${n}.py`), body);
  }
  fs.mkdirSync(path.join(dir, 'tests'));
  fs.writeFileSync(path.join(dir, 'sums.py'), 'def add(a, b):\n    return a - b\n');
  fs.writeFileSync(path.join(dir, 'pytest.ini'), '[pytest]\ntestpaths = tests\n');
  for (let n = 0; n < 12; n++) {
    const test = `from sums import add\n\n\ndef test_add_${n}():\n    assert add(${n + 1}, 0) == ${n + 1}\n`;
    fs.writeFileSync(
      path.join(dir, `tests/test_${n}.py`),
      n === 0 ? test.replace('0) == 1', '1) == 2') : test,
    );
  }
}

if (import.meta.main) process.stdout.write(`${(await bench()).lines.join('\n')}\n`);
