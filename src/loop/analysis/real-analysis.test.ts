import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, inject, it } from 'vitest';
import { type AnalysisEvent, type AnalysisSpec, analysisEventSchema } from '../../core/index.ts';
import { openJupyterKernel } from '../../kernel/index.ts';
import { type ScriptedModelReply, scriptedModel } from '../../propose/index.ts';
import { openStore, type Run, readNotebook } from '../../store/index.ts';
import { createInbox } from '../inbox.ts';
import { lastAsked } from './analysis.fixture.ts';
import type { OpenKernel } from './kernel-holder.ts';
import { madeAnalysisSpec, madeCalls } from './made.ts';
import { analysisFiles, resumeAnalysis, runAnalysis } from './run.ts';

const home = mkdtempSync(path.join(tmpdir(), 'assay-real-analysis-'));
afterAll(() => rmSync(home, { recursive: true, force: true }));
const store = openStore({ home, env: {} });
const env = { ...process.env, VIRTUAL_ENV: path.resolve(import.meta.dirname, '../../../.venv') };

/** A kernel of its own for each process that works on a run, with one data file. */
const open =
  (limits: { memoryBytes?: number } = {}): OpenKernel =>
  async ({ signal, onSpill }) => {
    const kernel = await openJupyterKernel({
      env,
      strict: inject('holdsEveryLimit'),
      signal,
      onSpill,
      limits,
    });
    await kernel.files.write('prices.csv', Buffer.from('city,price\nKoper,3\nIzola,5\nPiran,7\n'));
    return kernel;
  };

async function setUp(
  replies: readonly ScriptedModelReply[],
  over: { spec?: Partial<AnalysisSpec>; run?: Run<AnalysisEvent>; openKernel?: OpenKernel } = {},
) {
  const spec = madeAnalysisSpec({ kernel: 'python3', ...over.spec });
  const run = over.run ?? (await store.create({ kind: 'solve', spec, event: analysisEventSchema }));
  const model = scriptedModel({ replies });
  const inbox = createInbox();
  const stop = new AbortController();
  const openKernel = over.openKernel ?? open();
  const options = { run, modelOf: () => model, openKernel, signal: stop.signal, inbox };
  return { run, model, inbox, stop, spec, options };
}

const read = 'import pandas as pd\nprices = pd.read_csv("prices.csv")\nprices.shape';
const wrong = 'prices["cost"].mean()';
const right = 'mean = prices["price"].mean()\nprint(mean)';
const draw = [
  'import matplotlib.pyplot as plt',
  'fig, ax = plt.subplots()',
  'ax.bar(prices.city, prices.price, label="price")',
  'ax.set(title="Prices", xlabel="city", ylabel="EUR")',
  'fig.savefig("prices.png")',
  'plt.show()',
].join('\n');

describe('an analysis in a real kernel', () => {
  it('goes from an error to its correction, a figure and a notebook', async () => {
    const { model, run, spec, options } = await setUp([
      madeCalls(read),
      madeCalls(wrong),
      madeCalls(right, draw),
      'The mean price is 5.0; see ![the prices](prices.png).',
    ]);
    const { end, result } = await runAnalysis({ ...options, spec });
    expect(end).toEqual({ status: 'complete', verification: 'not_run' });
    expect(result.subtasks[0]).toMatchObject({ cells: 4, failed: 1, turns: 4 });
    expect(
      result.artifacts.some(({ source }) => source.kind === 'file' && source.path === 'prices.png'),
    ).toBe(true);
    const asked = model.requests.map(({ messages }) => JSON.stringify(messages));
    expect(asked[1]).toContain('prices: DataFrame (3 x 2)');
    expect(asked[2]).toContain("Cell 2 failed with KeyError: 'cost'");
    const last = lastAsked(model);
    expect(last).toMatch(/figure .*"Prices".*x "city".*y "EUR"/);
    expect(last).toContain('file created: prices.png');
    expect(last).toMatch(/mean: \w+ .*= .*5\.0/);
    const { cells } = await readNotebook(path.join(run.dir, analysisFiles.notebook));
    expect(cells.filter((cell) => cell.cell_type === 'code')).toHaveLength(4);
    expect(JSON.stringify(cells)).toContain('image/png');
    run.close();
  });

  it('is stopped within a cell, and goes on in a fresh kernel with the variables of before', async () => {
    const first = await setUp([
      madeCalls(read, right, 'import time\nprint("begun", flush=True)\ntime.sleep(600)'),
    ]);
    const running = runAnalysis({
      ...first.options,
      spec: first.spec,
      onProgress: (progress) => {
        if (progress.kind === 'output' && JSON.stringify(progress.output).includes('begun'))
          first.inbox.put({ kind: 'stop', detail: 'enough for today' });
      },
    });
    expect(await running).toMatchObject({ resumable: true, end: { status: 'aborted' } });
    const second = await setUp([madeCalls('print(mean * 2)'), 'Twice the mean is 10.'], { run: first.run });
    const { end, result } = await resumeAnalysis(second.options);
    expect(end).toMatchObject({ status: 'complete' });
    expect(lastAsked(second.model)).toContain('10.0');
    expect(lastAsked(second.model)).toContain('2 earlier cells were run again there, and gave the same.');
    expect(result.warnings).toEqual([]);
    first.run.close();
  });

  it('lives on after a cell that took all its memory, and after one over its time', async () => {
    const hog = 'block = bytearray(10**9)\nfor at in range(0, len(block), 4096): block[at] = 1';
    const { model, spec, options, run } = await setUp(
      [
        madeCalls('x = 1'),
        madeCalls(hog),
        madeCalls('while True: pass'),
        madeCalls('print("x" in globals())'),
        'x is gone.',
      ],
      {
        openKernel: open({ memoryBytes: 400 * 2 ** 20 }),
        spec: { limits: { ...madeAnalysisSpec().limits, cellMs: 1_500 } },
      },
    );
    const { end, result } = await runAnalysis({ ...options, spec });
    expect(end).toMatchObject({ status: 'complete' });
    const asked = model.requests.map(({ messages }) => JSON.stringify(messages));
    expect(asked[2]).toMatch(/Cell 2 (ended the kernel's process|was stopped|failed with MemoryError)/);
    expect(asked[3]).toContain('Cell 3 was stopped after 2 s, the limit of a cell');
    expect(result.cells).toBe(4);
    run.close();
  });
});
