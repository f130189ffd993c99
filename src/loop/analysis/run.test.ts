import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { type AnalysisSpec, analysisEventSchema, analysisResultSchema } from '../../core/index.ts';
import { type FakeKernelOptions, type FakeReply, fakeKernel } from '../../kernel/index.ts';
import { type ScriptedModelReply, scriptedModel } from '../../propose/index.ts';
import { openStore, readNotebook } from '../../store/index.ts';
import { madeAnalysisSpec, madeCalls, madeError, madePrint } from './made.ts';
import { type AnalysisOptions, analysisFiles, runAnalysis } from './run.ts';

const home = mkdtempSync(path.join(tmpdir(), 'assay-analysis-'));
afterAll(() => rmSync(home, { recursive: true, force: true }));
const store = openStore({ home, env: {} });

/** A kernel that answers by the code: what prints `x` is `print x`, what raises is `raise x`. */
const byCode = (code: string): FakeReply => {
  const [, verb, rest = ''] = /^(\w+) ?(.*)$/.exec(code.trim()) ?? [];
  if (verb === 'raise') return madeError('ValueError', rest);
  if (verb === 'save') return { files: { [rest]: `content of ${rest}` } };
  if (verb === 'die') return { end: { status: 'died', cause: 'oom', detail: 'out of memory' } };
  if (verb === 'gone') return { end: { status: 'unavailable', detail: 'no answer', fix: 'start it' } };
  return madePrint(rest);
};

async function setUp(
  replies: readonly ScriptedModelReply[],
  over: {
    spec?: Partial<AnalysisSpec>;
    kernel?: Partial<FakeKernelOptions>;
    options?: Partial<AnalysisOptions>;
  } = {},
) {
  const spec = madeAnalysisSpec(over.spec);
  const run = await store.create({ kind: 'solve', spec, event: analysisEventSchema });
  const model = scriptedModel({ replies });
  const kernels: ReturnType<typeof fakeKernel>[] = [];
  const openKernel = async () => {
    const kernel = fakeKernel({ replies: byCode, files: { 'prices.csv': 'a,b\n' }, ...over.kernel });
    kernels.push(kernel);
    return kernel;
  };
  const stop = new AbortController();
  const options = { run, modelOf: () => model, openKernel, signal: stop.signal, ...over.options };
  return { spec, run, model, kernels, stop, options, start: () => runAnalysis({ ...options, spec }) };
}

describe('runAnalysis', () => {
  it('answers from a cell that ran, after one error, and leaves notebook and result', async () => {
    const { start, run, model, kernels } = await setUp([
      madeCalls('raise no such column'),
      madeCalls('print 4.2', 'save mean.csv'),
      'The mean price is 4.2, see [the table](mean.csv).',
    ]);
    const { result, end, resumable } = await start();
    expect({ end, resumable }).toEqual({
      end: { status: 'complete', verification: 'not_run' },
      resumable: false,
    });
    expect(result).toMatchObject({ turns: 3, cells: 3, kernel: { name: 'fake' }, warnings: [] });
    expect(result.artifacts.map(({ name, cell }) => [name, cell])).toEqual([['mean.csv', 3]]);
    expect(result.subtasks[0]).toMatchObject({ turns: 3, cells: 3, failed: 1, end: { status: 'complete' } });
    expect(kernels.map(({ executed, closed }) => [executed, closed])).toEqual([
      [['raise no such column', 'print 4.2', 'save mean.csv'], true],
    ]);
    const written = readFileSync(path.join(run.dir, analysisFiles.result), 'utf8');
    expect(analysisResultSchema.parse(JSON.parse(written))).toEqual(result);
    const notebook = await readNotebook(path.join(run.dir, analysisFiles.notebook));
    expect(notebook.cells.filter((cell) => cell.cell_type === 'code')).toHaveLength(3);
    const second = JSON.stringify(model.requests[1]?.messages);
    expect(second).toContain('Cell 1 failed with ValueError: no such column');
    expect(second).toContain('the code that failed');
  });
});
