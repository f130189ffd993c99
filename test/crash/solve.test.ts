import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import {
  type AnalysisEvent,
  type AnalysisResult,
  analysisEventSchema,
  analysisResultSchema,
} from '../../src/core/index.ts';
import { startScriptedServer } from '../../src/propose/model/scripted-server/server.fixture.ts';
import { sweep } from '../../src/sandbox/index.ts';
import { openStore, readNotebook } from '../../src/store/index.ts';
import { eventually, processesWith } from '../attacks/host.ts';
import { asking } from '../cli/model.ts';
import { kernelEnv, runs, says } from '../cli/solve-scene.ts';
import { assay } from './kill-and-resume.ts';

const instants = 7;
const relaxed = inject('holdsEveryLimit') ? [] : ['--no-strict'];

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

describe('an analysis, killed at random instants', () => {
  let folder: string;
  let server: Awaited<ReturnType<typeof startModel>>;
  let args: string[];
  let reference: AnalysisResult;
  let artifacts: string[] = [];
  let events = 0;
  let gapMs = 0;

  beforeAll(async () => {
    Object.assign(process.env, kernelEnv);
    folder = mkdtempSync(path.join(os.tmpdir(), 'assay-crash-solve-'));
    const task = path.join(folder, 'TASK.md');
    writeFileSync(task, 'What is the total?');
    server = await startModel();
    args = ['solve', task, ...asking(server), ...relaxed];
    const home = path.join(folder, 'reference');
    const whole = await assay([...args, '--json'], { home });
    expect(whole.code, whole.stderr).toBe(0);
    reference = analysisResultSchema.parse(JSON.parse(whole.stdout));
    artifacts = filesOf(reference);
    const records = openStore({ home })
      .open<AnalysisEvent>(reference.run, { event: analysisEventSchema })
      .events();
    events = records.length;
    gapMs = (Date.parse(records.at(-1)?.time ?? '') - Date.parse(records[0]?.time ?? '')) / events;
  });

  afterAll(async () => {
    await server.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it(`comes to the same end, ${instants} times`, { timeout: 300_000 }, async () => {
    const cuts: string[] = [];
    for (let index = 0; index < instants; index += 1) {
      const kill = { events: Math.floor((index / instants) * events), ms: Math.random() * 2 * gapMs };
      const when = `killed ${Math.round(kill.ms)} ms after event ${kill.events}`;
      const home = path.join(folder, `home-${index}`);
      mkdirSync(home);
      await assay([...args, '--events'], { home, kill });
      const before = eventsIn(home);
      if (before === null || before.length === 0 || before.at(-1)?.type === 'run_ended') continue;
      const resumed = await assay(['resume', 'latest', '--json'], { home });
      const result = analysisResultSchema.parse(JSON.parse(resumed.stdout));
      const after = eventsIn(home) ?? [];
      expect(after.slice(0, before.length), when).toEqual(before);
      expect(
        after.filter(({ type }) => type === 'run_ended'),
        when,
      ).toHaveLength(1);
      cuts.push(before.at(-1)?.type ?? '');
      // A cell that was cut is told to the model, which runs it again.
      const again = hasCutCell(before) ? 1 : 0;
      const { status, turns, cells } = result;
      expect(
        { status, turns, cells, code: resumed.code },
        `${when}: ${result.reason}\n${resumed.stderr}`,
      ).toEqual({
        status: reference.status,
        turns: reference.turns + again,
        cells: reference.cells + again,
        code: 0,
      });
      expect(filesOf(result), when).toEqual(artifacts);
      const notebook = await readNotebook(path.join(result.dir, 'notebook.ipynb'));
      const written = notebook.cells.filter((cell) => cell.cell_type === 'code').length;
      // Of a cell that was cut nobody knows what it gave.
      expect(written, when).toBe(cells - again);
    }
    // The attack really took place.
    expect(cuts.length, cuts.join(', ')).toBeGreaterThanOrEqual(4);
    sweep();
    expect(await eventually(() => processesWith(folder).length === 0), 'processes were left').toBe(true);
  });
});

const filesOf = ({ artifacts }: AnalysisResult): string[] =>
  artifacts.flatMap(({ source, sha256 }) => (source.kind === 'file' ? [`${source.path} ${sha256}`] : []));

/** The journal of the only run; null where there is none. */
function eventsIn(home: string): AnalysisEvent[] | null {
  const store = openStore({ home });
  const [run] = store.list();
  if (run === undefined) return null;
  return store
    .open<AnalysisEvent>(run.id, { event: analysisEventSchema })
    .events()
    .map(({ event }) => event);
}

/** The process died while a cell ran. */
function hasCutCell(events: readonly AnalysisEvent[]): boolean {
  const started = events.findLastIndex((event) => event.type === 'effect_started');
  const effect = events[started];
  const settled = events.slice(started + 1).length > 0;
  return effect?.type === 'effect_started' && effect.effect.kind === 'cell' && !settled;
}
