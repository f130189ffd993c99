import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import {
  type AnalysisEvent,
  type AnalysisResult,
  analysisEventSchema,
  analysisResultSchema,
} from '../../src/core/index.ts';
import { startScriptedServer } from '../../src/propose/model/scripted-server/server.fixture.ts';
import { openStore, readNotebook } from '../../src/store/index.ts';
import { runs, says } from '../cli/solve-replies.ts';
import { assay, endFaults, type Instant, type Pace, paceOf } from './kill-and-resume.ts';

/** Cells that build on one another, one that fails, and one that takes a while: each number is the same each time. */
const steps = [
  { shows: 'STEP-A 10', code: "total = sum(range(5))\nprint('STEP-A', total)" },
  { shows: 'NameError', code: 'print(totl)' },
  {
    shows: 'STEP-C 10',
    code: "import time\ntime.sleep(0.4)\nopen('total.txt', 'w').write(str(total))\nprint('STEP-C', total)",
  },
  { shows: 'STEP-D 10 11', code: "total += 1\nprint('STEP-D', open('total.txt').read(), total)" },
];

/** A model that does the first step whose result it was not told of: what was cut is done again, and nothing twice. */
const startModel = () =>
  startScriptedServer({
    script: ({ body }) => {
      const told = JSON.stringify(body);
      const step = steps.find(({ shows }) => !told.includes(shows));
      return step === undefined ? says('The total is 10, then 11; see total.txt.') : runs(step.code);
    },
  });

/** An analysis that was run whole once, to be killed again and again. */
export type SolveJob = {
  args: string[];
  whole: Outcome;
  pace: Pace;
  close: () => Promise<unknown>;
};

/** What must be the same however often a run was killed. `cells`: run by the model, and `written`: in the notebook. */
export type Outcome = {
  status: string;
  code: number | null;
  turns: number;
  cells: number;
  written: number;
  files: string[];
};

/** @param options.folder an empty folder; the task, and the run folders below `reference`, go there */
export async function startSolveJob(options: { folder: string; args: readonly string[] }): Promise<SolveJob> {
  const task = path.join(options.folder, 'TASK.md');
  writeFileSync(task, 'What is the total?');
  const server = await startModel();
  const args = ['solve', task, '--model', 'openai-compatible/x', '--base-url', server.url, ...options.args];
  const home = path.join(options.folder, 'reference');
  const finished = await assay([...args, '--json'], { home });
  if (finished.code !== 0) throw new Error(`the whole run ended with ${finished.code}: ${finished.stderr}`);
  const records = openStore({ home }).open<AnalysisEvent>('latest', { event: analysisEventSchema }).events();
  return {
    args,
    whole: await outcomeOf(finished),
    pace: paceOf(records),
    close: () => server.close(),
  };
}

export type SolveRecovered =
  | { kind: 'not_started' | 'ended_before' }
  | { kind: 'resumed'; outcome: Outcome; expected: Outcome; faults: string[]; cutAt: string };

/** Kills the analysis at an instant and resumes it to its end. `home`: a folder that does not exist yet. */
export async function killAndResumeSolve(
  job: SolveJob,
  { home, kill }: { home: string; kill: Instant },
): Promise<SolveRecovered> {
  mkdirSync(home);
  await assay([...job.args, '--events'], { home, kill });
  const before = eventsIn(home);
  if (before.length === 0) return { kind: 'not_started' };
  if (before.at(-1)?.type === 'run_ended') return { kind: 'ended_before' };
  const resumed = await assay(['resume', 'latest', '--json'], { home });
  if (resumed.stdout.trim() === '') throw new Error(`resume said nothing: ${resumed.stderr}`);
  // A cell that was cut is told to the model, which runs it again; of what it gave nobody knows.
  const again = hasCutCell(before) ? 1 : 0;
  const { whole } = job;
  return {
    kind: 'resumed',
    outcome: await outcomeOf(resumed),
    expected: { ...whole, turns: whole.turns + again, cells: whole.cells + again },
    faults: faultsIn(before, eventsIn(home)),
    cutAt: before.at(-1)?.type ?? '',
  };
}

async function outcomeOf({ code, stdout }: { code: number | null; stdout: string }): Promise<Outcome> {
  const result: AnalysisResult = analysisResultSchema.parse(JSON.parse(stdout));
  const notebook = await readNotebook(path.join(result.dir, 'notebook.ipynb'));
  const { status, turns, cells, artifacts } = result;
  const files = artifacts.flatMap(({ source, sha256 }) =>
    source.kind === 'file' ? [`${source.path} ${sha256}`] : [],
  );
  const written = notebook.cells.filter((cell) => cell.cell_type === 'code').length;
  return { status, code, turns, cells, written, files };
}

/** What a resume may not do to a journal. */
function faultsIn(before: readonly AnalysisEvent[], after: readonly AnalysisEvent[]): string[] {
  const isKept = JSON.stringify(after.slice(0, before.length)) === JSON.stringify(before);
  return [...(isKept ? [] : ['resuming rewrote what was journaled']), ...endFaults(after)];
}

/** The journal of the only run; empty where there is none. */
function eventsIn(home: string): AnalysisEvent[] {
  const store = openStore({ home });
  const [run] = store.list();
  if (run === undefined) return [];
  const records = store.open<AnalysisEvent>(run.id, { event: analysisEventSchema }).events();
  return records.map(({ event }) => event);
}

/** The process died while a cell ran. */
function hasCutCell(events: readonly AnalysisEvent[]): boolean {
  const started = events.findLastIndex((event) => event.type === 'effect_started');
  const effect = events[started];
  const settled = events.slice(started + 1).length > 0;
  return effect?.type === 'effect_started' && effect.effect.kind === 'cell' && !settled;
}
