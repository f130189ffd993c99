import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import {
  type AnalysisEvent,
  type AnalysisSpec,
  AssayError,
  analysisEventSchema,
  analysisResultSchema,
} from '../../core/index.ts';
import { type FakeKernelOptions, type FakeReply, fakeKernel } from '../../kernel/index.ts';
import { type ScriptedModelReply, scriptedModel } from '../../propose/index.ts';
import { openStore, type Run, readNotebook } from '../../store/index.ts';
import type { Message } from '../drive.ts';
import { createInbox } from '../inbox.ts';
import { byCode, lastAsked } from './analysis.fixture.ts';
import { fileEvidence } from './evidence-port.ts';
import { madeAnalysisSpec, madeCalls, madePrint } from './made.ts';
import { type AnalysisOptions, analysisFiles, resumeAnalysis, runAnalysis } from './run.ts';

const home = mkdtempSync(path.join(tmpdir(), 'assay-analysis-'));
afterAll(() => rmSync(home, { recursive: true, force: true }));
const store = openStore({ home, env: {} });
const done = 'The mean price is 4.2.';

type Over = {
  spec?: Partial<AnalysisSpec>;
  kernel?: Partial<FakeKernelOptions>;
  options?: Partial<AnalysisOptions>;
  run?: Run<AnalysisEvent>;
};

async function setUp(replies: readonly ScriptedModelReply[], over: Over = {}) {
  const spec = madeAnalysisSpec(over.spec);
  const run = over.run ?? (await store.create({ kind: 'solve', spec, event: analysisEventSchema }));
  const model = scriptedModel({ replies });
  const kernels: ReturnType<typeof fakeKernel>[] = [];
  const openKernel = async () => {
    const kernel = fakeKernel({ replies: byCode, files: { 'prices.csv': 'a,b\n' }, ...over.kernel });
    kernels.push(kernel);
    return kernel;
  };
  const stop = new AbortController();
  const options = {
    run,
    modelOf: () => model,
    openKernel,
    signal: stop.signal,
    evidenceOf: fileEvidence,
    ...over.options,
  };
  return {
    ...{ spec, run, model, kernels, stop },
    start: () => runAnalysis({ ...options, spec }),
    resume: () => resumeAnalysis(options),
  };
}

const eventsIn = (run: Run<AnalysisEvent>) => run.events().map(({ event }) => event);
const codeIn = async (run: Run<AnalysisEvent>) => {
  const { cells } = await readNotebook(path.join(run.dir, analysisFiles.notebook));
  return cells.filter((cell) => cell.cell_type === 'code').map(({ source }) => source);
};

/** A kernel whose cell `hang` goes on until it is interrupted; `begun` resolves when it runs. */
function hanging() {
  const begun = Promise.withResolvers<void>();
  const replies = (code: string): FakeReply => {
    if (code !== 'hang') return byCode(code);
    begun.resolve();
    return { until: new Promise(() => {}) };
  };
  return { kernel: { replies }, begun: begun.promise };
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
    expect(result.artifacts.map(({ name, cell }) => [name, cell])).toEqual([
      ['cell-1-error-valueerror.txt', 1],
      ['mean.csv', 3],
    ]);
    expect(result.subtasks[0]).toMatchObject({ turns: 3, cells: 3, failed: 1, end: { status: 'complete' } });
    expect(kernels.map(({ executed, closed }) => [executed, closed])).toEqual([
      [['raise no such column', 'print 4.2', 'save mean.csv'], true],
    ]);
    const written = readFileSync(path.join(run.dir, analysisFiles.result), 'utf8');
    expect(analysisResultSchema.parse(JSON.parse(written))).toEqual(result);
    expect(await codeIn(run)).toEqual(['raise no such column', 'print 4.2', 'save mean.csv']);
    expect(JSON.stringify(model.requests[1]?.messages)).toContain(
      'Cell 1 failed with ValueError: no such column',
    );
  });

  it('opens the kernel while the model thinks, and closes it whatever happens', async () => {
    const order: string[] = [];
    const kernel = fakeKernel({ replies: byCode });
    const { start } = await setUp(
      [
        () => {
          order.push('asked');
          return madeCalls('print 1');
        },
        done,
      ],
      {
        options: {
          openKernel: async () => {
            order.push('opening');
            return kernel;
          },
        },
      },
    );
    await start();
    expect(order).toEqual(['opening', 'asked']);
    expect(kernel.closed).toBe(true);
  });

  it('stands still where no kernel is to be had, says how to mend it, and goes on when it is', async () => {
    const failing = new AssayError({
      code: 'environment',
      message: 'no ipykernel',
      fix: 'install ipykernel',
    });
    const first = await setUp([madeCalls('print 1')], {
      options: { openKernel: () => Promise.reject(failing) },
    });
    const { result, resumable } = await first.start();
    expect(resumable).toBe(true);
    expect(result).toMatchObject({ status: 'environment_error', fix: 'install ipykernel' });
    expect(result.reason).toContain(`no ipykernel; go on with: assay resume ${first.run.id}`);
    const { resume, model } = await setUp([done], { run: first.run });
    expect((await resume()).end).toMatchObject({ status: 'complete' });
    expect(model.requests).toHaveLength(1);
  });

  it('gives figures to a model that can see', async () => {
    const png = Buffer.from('89504e470d0a1a0a', 'hex').toString('base64');
    const figure: FakeReply = {
      outputs: [{ output_type: 'display_data', data: { 'image/png': png }, metadata: {} }],
    };
    const { start, model } = await setUp([madeCalls('plot'), done], {
      spec: { images: true },
      kernel: { replies: () => figure },
    });
    await start();
    const last = model.requests[1]?.messages.at(-1);
    expect(last?.role === 'user' && last.images).toEqual([{ mediaType: 'image/png', base64: png }]);
    expect(lastAsked(model)).toContain('The image cell-1-figure.png of cell 1 comes with this message.');
  });

  it('lets the model read the whole of an output that was cut', async () => {
    const long = `${'line\n'.repeat(8_000)}THE END`;
    const read = { id: 'r', name: 'read_file', input: '{"path":"artifact:cell-1-stdout.txt","from":7990}' };
    const { start, model } = await setUp([madeCalls('long'), { toolCalls: [read] }, done], {
      kernel: { replies: () => madePrint(long) },
    });
    await start();
    expect(JSON.stringify(model.requests[1]?.messages)).toContain('read_file artifact:cell-1-stdout.txt');
    expect(lastAsked(model)).toContain('THE END');
  });
});

describe('a message while a cell runs', () => {
  const send = async (message: Message, replies: readonly ScriptedModelReply[]) => {
    const inbox = createInbox();
    const { kernel, begun } = hanging();
    const scene = await setUp(replies, { kernel, options: { inbox } });
    const running = scene.start();
    await begun;
    inbox.put(message);
    return { ...scene, ...(await running) };
  };

  it('stops the run at once, and the run goes on later', async () => {
    const stopped = await send({ kind: 'stop', detail: 'lunch' }, [madeCalls('print 1', 'hang')]);
    expect(stopped).toMatchObject({ resumable: true, result: { status: 'aborted' } });
    expect(stopped.kernels[0]?.closed).toBe(true);
    const { resume, model, kernels } = await setUp([madeCalls('print 2'), done], { run: stopped.run });
    expect((await resume()).end).toMatchObject({ status: 'complete' });
    expect(kernels[0]?.executed).toEqual(['print 1', 'print 2']);
    expect(JSON.stringify(model.requests[0]?.messages)).toContain('interrupted by the user');
  });

  it('interrupts the cell, and the model goes on', async () => {
    const { end, model, state } = await send({ kind: 'interrupt' }, [
      madeCalls('hang'),
      madeCalls('print 2'),
      done,
    ]).then((ended) => ({ ...ended, state: eventsIn(ended.run) }));
    expect(end).toMatchObject({ status: 'complete' });
    expect(JSON.stringify(model.requests[1]?.messages)).toContain('Cell 1 was interrupted by the user');
    expect(state.some(({ type }) => type === 'stopped')).toBe(false);
  });

  it('stops a model that does not answer, too', async () => {
    const inbox = createInbox();
    const { model, start } = await setUp([], { options: { inbox } });
    model.call = (_, { signal }) =>
      new Promise((_, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason));
        inbox.put({ kind: 'stop', detail: 'too slow' });
      });
    expect(await start()).toMatchObject({ resumable: true, end: { status: 'aborted', detail: 'too slow' } });
  });

  it('by a signal is a stop too', async () => {
    const { kernel, begun } = hanging();
    const { start, stop, run } = await setUp([madeCalls('hang')], { kernel });
    const running = start();
    await begun;
    stop.abort(new Error('Ctrl-C'));
    expect(await running).toMatchObject({ resumable: true, end: { status: 'aborted' } });
    expect(eventsIn(run).at(-1)).toMatchObject({ type: 'stopped' });
  });
});

describe('resumeAnalysis', () => {
  /** A run of which the process was killed when the event with this type and number came. */
  async function killedAt(
    type: AnalysisEvent['type'],
    nth: number,
    replies: readonly ScriptedModelReply[],
    over: Over = {},
  ) {
    const scene = await setUp(replies, over);
    let left = nth;
    const run = new Proxy(scene.run, {
      get(target, key) {
        if (key === 'append') {
          return async (...arguments_: Parameters<typeof target.append>) => {
            const record = await target.append(...arguments_);
            if (arguments_[0].type === type) left -= 1;
            // Nothing after it is ever written, as of a process that is gone.
            if (left === 0) await new Promise(() => {});
            return record;
          };
        }
        const value: unknown = Reflect.get(target, key);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
    void runAnalysis({
      ...{ spec: scene.spec, run, modelOf: () => scene.model, signal: scene.stop.signal },
      evidenceOf: fileEvidence,
      openKernel: async () => fakeKernel({ replies: byCode, files: { 'prices.csv': 'a,b\n' } }),
    });
    while (left > 0) await new Promise((resolve) => setTimeout(resolve, 5));
    return scene.run;
  }
  const replies = [madeCalls('print 1'), madeCalls('save a.csv'), madeCalls('print 3'), done];

  it('runs the done cells again in a fresh kernel, tells the cut one, and goes on', async () => {
    // The third effect of kind cell has started: ask, open, cell, ask, cell, ask, cell.
    const run = await killedAt('effect_started', 7, replies);
    const { resume, kernels, model } = await setUp([madeCalls('print 3'), done], { run });
    const { end, result } = await resume();
    expect(end).toMatchObject({ status: 'complete' });
    expect(kernels[0]?.executed).toEqual(['print 1', 'save a.csv', 'print 3']);
    expect(JSON.stringify(model.requests[0]?.messages)).toContain('Cell 3 was cut while it ran');
    expect(lastAsked(model)).toContain('taken up again in a fresh kernel');
    expect(lastAsked(model)).toContain('2 earlier cells were run again there, and gave the same.');
    expect(result.cells).toBe(4);
    expect(result.warnings).toContain('cell 3: assay was killed while this cell ran');
  });

  it('tells what was not run again, and counts nothing that it did as there', async () => {
    const run = await killedAt('effect_started', 7, [
      madeCalls('save a.csv'),
      madeCalls('slow half.csv'),
      madeCalls('print 3'),
    ]);
    const { resume, kernels, model } = await setUp([madeCalls('print 3'), done], { run });
    const { result } = await resume();
    expect(kernels[0]?.executed).toEqual(['save a.csv', 'print 3']);
    expect(lastAsked(model)).toContain('did not come to an end by themselves: cell 2. Nothing they did');
    expect(result.artifacts.map(({ name }) => name)).toEqual(['a.csv']);
  });

  it('pays for no reply twice', async () => {
    const run = await killedAt('model_called', 2, replies);
    const { resume, model } = await setUp([madeCalls('print 3'), done], { run });
    const { end, result } = await resume();
    expect(end).toMatchObject({ status: 'complete' });
    // The reply that asks for a.csv was journaled, and is not asked for again.
    expect(model.requests).toHaveLength(2);
    expect(result.usage.tokens).toBe(4 * 110);
  });

  it('charges a call that was cut at what it costs at most', async () => {
    const run = await killedAt('model_calling', 2, replies);
    const { resume } = await setUp(replies.slice(1), { run });
    const { result } = await resume();
    expect(result.usage.tokens).toBeGreaterThan(4 * 110 + 2_000);
    expect(result.warnings.join()).toContain('what a cut call may have cost');
  });

  it('tells the model and the user what is not as before', async () => {
    const run = await killedAt('effect_started', 7, replies);
    const files = { 'prices.csv': 'other\n' };
    const kernel = { files, replies: (code: string) => byCode(code.replace('print 1', 'print 9')) };
    const { resume, model } = await setUp([madeCalls('print 3'), done], { run, kernel });
    const { result } = await resume();
    const told = 'cell 1, run again: it put out "stdout: 1", and now "stdout: 9"';
    expect(lastAsked(model)).toContain(told);
    expect(result.warnings).toContain(told);
    expect(result.warnings).toContain('the data is not what it was when the run began: prices.csv');
  });

  it('gives the result of a run that has ended again, and writes what is missing', async () => {
    const scene = await setUp(replies);
    const { result } = await scene.start();
    rmSync(path.join(scene.run.dir, analysisFiles.result));
    rmSync(path.join(scene.run.dir, analysisFiles.notebook));
    const { resume, kernels } = await setUp([], { run: scene.run });
    expect((await resume()).result).toEqual(result);
    expect(kernels).toEqual([]);
    expect(JSON.parse(readFileSync(path.join(scene.run.dir, analysisFiles.result), 'utf8'))).toEqual(result);
    expect(await codeIn(scene.run)).toHaveLength(3);
  });

  it('comes to the same end wherever the process was killed', async () => {
    const scene = await setUp(replies);
    await scene.start();
    const types = eventsIn(scene.run).map(({ type }) => type);
    for (let cut = 2; cut < types.length; cut += 1) {
      const type = types[cut - 1] ?? 'run_started';
      const nth = types.slice(0, cut).filter((other) => other === type).length;
      const run = await killedAt(type, nth, replies);
      const known = eventsIn(run).filter((event) => event.type === 'model_called').length;
      const { resume } = await setUp(replies.slice(known), { run });
      const { end, result } = await resume();
      expect([cut, type, end.status]).toEqual([cut, type, 'complete']);
      expect(result.artifacts.map(({ name }) => name).filter((name) => name !== 'a.csv')).toEqual([]);
      expect(eventsIn(run).filter((event) => event.type === 'subtask_ended')).toHaveLength(1);
    }
  });
});
