/**
 * What the loop itself costs: the time of a round that is neither the model's nor the tests', and reading a long run
 * to take it up again. Run alone: `node bench/loop.ts`.
 */
import * as fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { type RepairEvent, type RepairSpec, repairEventSchema } from '../src/core/index.ts';
import { collect, openEvaluator, openProject, packProject, runLab } from '../src/lab/index.ts';
import {
  type Lab,
  madeProposal,
  madeReport,
  madeSpec,
  repliesIn,
  runRepair,
  takeUp,
} from '../src/loop/index.ts';
import { defaultModelSettings, modelProposer, scriptedModel } from '../src/propose/index.ts';
import { openStore } from '../src/store/index.ts';
import { median } from './median.ts';
import type { Section } from './run.ts';

const own = path.resolve(import.meta.dirname, '../.venv/bin/python');
const python = fs.existsSync(own) ? own : 'python3';

/** Modules, each with a file of tests; as many of them are wrong as there are rounds. */
const modules = 100;
const rounds = 12;
/** Events of the long run. */
const longEvents = 10_000;

export async function bench(): Promise<Section> {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-bench-loop-'));
  try {
    const round = await measureRounds(folder);
    const long = await measureLong(folder);
    const ms = (value: number) => `${value.toFixed(1)} ms`;
    return {
      title: 'The loop itself: a round without model and tests, and a long run taken up',
      lines: [
        '| what | median | slowest |',
        '|---|---:|---:|',
        `| a round on ${2 * modules} files, without the model and the tests' own processes | **${ms(median(round.besideTests))}** | ${ms(Math.max(...round.besideTests))} |`,
        `| of it in the loop: packing feedback, planning edits, journal, state | ${ms(median(round.besideLab))} | ${ms(Math.max(...round.besideLab))} |`,
        `| a run of ${longEvents.toLocaleString('en')} events read and folded, to be taken up | **${ms(median(long.takenUp))}** | ${ms(Math.max(...long.takenUp))} |`,
        '',
        `${rounds} rounds of a repair with the real lab and journal and a model that answers at once by a script. The rest of a`,
        'round outside the loop is the lab: laying the patched files, starting and ending the sandbox, judging the report.',
        `The long run has ${long.rounds} rounds and ${(long.bytes / 1e6).toFixed(1)} MB of journal.`,
      ],
    };
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
}

type Edit = { search: string; replace: string; file: string };
const bugOf = (n: number): Edit => ({
  file: `pkg/part_${n}.py`,
  search: `a - b + ${n}`,
  replace: `a + b + ${n}`,
});

function layOut(dir: string): void {
  fs.mkdirSync(path.join(dir, 'pkg'), { recursive: true });
  fs.mkdirSync(path.join(dir, 'tests'));
  fs.writeFileSync(path.join(dir, 'pkg/__init__.py'), '');
  for (let n = 0; n < modules; n++) {
    const { file, search, replace } = bugOf(n);
    const body = `def add(a, b):\n    return ${n < rounds ? search : replace}\n`;
    fs.writeFileSync(path.join(dir, file), `${body}${filler(n)}`);
    const test = `from pkg.part_${n} import add\n\n\ndef test_add():\n    assert add(${n}, 1) == ${2 * n + 1}\n`;
    fs.writeFileSync(path.join(dir, `tests/test_${n}.py`), test);
  }
}

const filler = (n: number) =>
  Array.from({ length: 20 }, (_, at) => `\n\ndef other_${at}(x):\n    return x * ${n} + ${at}\n`).join('');

type Rounds = { besideTests: number[]; besideLab: number[] };

async function measureRounds(folder: string): Promise<Rounds> {
  const dir = path.join(folder, 'project');
  layOut(dir);
  const spec = madeSpec({
    dir,
    testCommand: [python, '-m', 'pytest'],
    proposer: 'scripted/model',
    limits: { rounds: rounds + 1, tokens: null, costUsd: null, wallMs: 3_600_000, candidates: null },
  });
  const store = openStore({ home: path.join(folder, 'home'), env: {} });
  const run = await store.create<RepairEvent>({ kind: 'fix', spec, event: repairEventSchema });
  const timed = timedLab();
  const marks: { atMs: number; labMs: number; testMs: number }[] = [];
  const { end } = await runRepair({
    run,
    spec,
    lab: timed.lab,
    proposers: [modelProposer({ model: scripted(), settings: defaultModelSettings, env: {}, price: null })],
    signal: new AbortController().signal,
    onEvent: (event) => {
      if (event.type === 'effect_started' && event.effect.kind === 'propose')
        marks.push({ atMs: performance.now(), ...timed.spent });
    },
  });
  run.close();
  if (end.status !== 'done') throw new Error(`the repair ended as ${JSON.stringify(end)}`);
  const between = (key: 'labMs' | 'testMs') =>
    marks.slice(1).map((mark, at) => {
      const before = marks[at];
      if (before === undefined) throw new Error('a round without a beginning');
      return mark.atMs - before.atMs - (mark[key] - before[key]);
    });
  return { besideTests: between('testMs'), besideLab: between('labMs') };
}

function scripted() {
  const replies = Array.from({ length: rounds }, (_, n) => {
    const { file, search, replace } = bugOf(n);
    const edits = [
      { op: 'replace', path: file, search: `    return ${search}`, replace: `    return ${replace}` },
    ];
    const input = JSON.stringify({ motivation: `part ${n} subtracts`, edits });
    return { toolCalls: [{ id: `call-${n}`, name: 'propose_patch', input }] };
  });
  return scriptedModel({ replies });
}

/** The real lab, with the time spent in it, and in the processes of tests alone. */
function timedLab(): { lab: Lab; spent: { labMs: number; testMs: number } } {
  const spent = { labMs: 0, testMs: 0 };
  const inLab = async <T>(work: Promise<T>, tests: (result: T, ms: number) => number): Promise<T> => {
    const startMs = performance.now();
    const result = await work;
    const ms = performance.now() - startMs;
    spent.labMs += ms;
    spent.testMs += tests(result, ms);
    return result;
  };
  const whole = (_: unknown, ms: number) => ms;
  return {
    spent,
    lab: {
      openProject,
      packProject,
      collect,
      runLab: (job) => inLab(runLab(job), (report) => report.usage.wallMs),
      async openEvaluator(options) {
        const evaluator = await inLab(openEvaluator(options), whole);
        return {
          get restarts() {
            return evaluator.restarts;
          },
          evaluate: (...args) => inLab(evaluator.evaluate(...args), whole),
          coverage: (signal) => inLab(evaluator.coverage(signal), whole),
          close: () => inLab(evaluator.close(), whole),
        };
      },
    },
  };
}

type Long = { takenUp: number[]; rounds: number; bytes: number };

async function measureLong(folder: string): Promise<Long> {
  const store = openStore({ home: path.join(folder, 'long'), env: {} });
  const spec = madeSpec({ limits: { ...madeSpec().limits, rounds: longEvents } });
  const run = await store.create<RepairEvent>({ kind: 'fix', spec, event: repairEventSchema });
  const events = longRun(spec);
  for (const event of events) await run.append(event);
  run.close();
  const takenUp: number[] = [];
  for (let time = 0; time < 7; time++) {
    const startMs = performance.now();
    const read = store.open<RepairEvent>(run.id, { event: repairEventSchema }).events();
    const known = read.map(({ event }) => event);
    repliesIn(known);
    const { position } = takeUp(known);
    takenUp.push(performance.now() - startMs);
    if (known.length !== longEvents || position.ended)
      throw new Error('the long run is not what it should be');
  }
  const { size } = fs.statSync(path.join(run.dir, 'journal.jsonl'));
  return { takenUp, rounds: takeUp(events).position.state.round, bytes: size };
}

/** Rounds with batches of candidates, each patch breaking something in its own way, so that it is taken back. */
function longRun(spec: RepairSpec): RepairEvent[] {
  const passing = Array.from({ length: 40 }, (_, n) => `tests/test_${n}.py::test_it`);
  const red = (said: string) =>
    madeReport({ passing, failing: { 'tests/test_x.py::test_x': 'is 3', 'tests/test_y.py::test_y': said } });
  const first = madeReport({
    passing: [...passing, 'tests/test_y.py::test_y'],
    failing: { 'tests/test_x.py::test_x': 'is 3' },
  });
  const slow = { ...first, usage: { ...first.usage, wallMs: 60_000 } };
  const events: RepairEvent[] = [
    { type: 'run_started', spec },
    { type: 'baseline_tested', report: slow, again: false, wallMs: 60_000 },
  ];
  let id = 0;
  const started = (kind: 'propose' | 'apply' | 'test', round: number): RepairEvent => ({
    type: 'effect_started',
    id: ++id,
    attempt: 1,
    effect: kind === 'test' ? { kind, round, again: false } : { kind, round },
    projection: {},
  });
  for (let round = 1; events.length < longEvents; round++) {
    const candidates = { type: 'candidates', round, tried: 100, passed: 0, hung: 1, wallMs: 10 } as const;
    events.push(
      started('propose', round),
      ...Array.from({ length: 12 }, () => candidates),
      { type: 'proposed', round, proposed: madeProposal(`text ${round}`) },
      started('apply', round),
      {
        type: 'applied',
        round,
        motivation: `say ${round}`,
        diff: `diff ${round}\n${'+ a line of the patch\n'.repeat(20)}`,
        state: `state ${round}`,
        wallMs: 3,
      },
      started('test', round),
      { type: 'tested', round, report: red(`broken in way ${round}`), again: false, wallMs: 900 },
    );
  }
  return events.slice(0, longEvents);
}

if (process.argv[1] === import.meta.filename) process.stdout.write(`${(await bench()).lines.join('\n')}\n`);
