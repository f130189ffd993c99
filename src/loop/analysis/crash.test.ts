import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { type AnalysisEvent, analysisEventSchema } from '../../core/index.ts';
import { fakeKernel } from '../../kernel/index.ts';
import { scriptedModel } from '../../propose/index.ts';
import { openStore, type Run, readNotebook } from '../../store/index.ts';
import { killed } from '../killed.fixture.ts';
import { byCode } from './analysis.fixture.ts';
import { crashReplies } from './crash.scene.ts';
import { fileEvidence } from './evidence-port.ts';
import { madeCalls } from './made.ts';
import { analysisFiles, resumeAnalysis } from './run.ts';

const home = mkdtempSync(path.join(os.tmpdir(), 'assay-analysis-crash-'));
afterAll(() => rmSync(home, { recursive: true, force: true }));
const store = openStore({ home, env: {} });

const program = path.join(import.meta.dirname, 'crash.child.ts');

const answersIn = (events: readonly AnalysisEvent[]) =>
  events.filter(({ type }) => type === 'model_called').length;

/** What a model does that is told of a cut cell which should have made a file: it runs it again. */
function repliesAfter(events: readonly AnalysisEvent[]) {
  const left = crashReplies.slice(answersIn(events));
  const last = events.findLast((event) => event.type === 'effect_started');
  const cut = last?.type === 'effect_started' && last.effect.kind === 'cell' ? last.effect : null;
  const isOver = events.some((event) => event.type === 'cell_ran' && event.cell === cut?.cell);
  const rest = cut?.code.startsWith('print') ? [cut.code, savedWith(cut.code)] : [cut?.code ?? ''];
  return cut === null || isOver || cut.purpose === 'check'
    ? left
    : [madeCalls(...rest.filter((code) => code !== '')), ...left];
}

/** The cell that comes after it in the same reply, and so is not run either. */
const savedWith = (code: string): string =>
  ({ 'print 1': 'save rows.csv', 'print 3': 'save mean.csv' })[code] ?? '';

const goOn = (run: Run<AnalysisEvent>, before: readonly AnalysisEvent[]) => {
  const kernel = fakeKernel({ replies: byCode });
  const model = scriptedModel({ replies: repliesAfter(before) });
  return resumeAnalysis({
    run,
    modelOf: () => model,
    openKernel: async () => kernel,
    evidenceOf: fileEvidence,
    signal: new AbortController().signal,
  }).then((ended) => ({ ...ended, kernel, model }));
};

// A whole run takes some 400 ms, so that most of these instants are in the middle of one.
it.each(Array.from({ length: 20 }, (_, n) => n * 20))(
  'goes on to the same end after a SIGKILL %i ms into a run',
  async (afterMs) => {
    const run = store.open(await killed({ program, home, afterMs }), { event: analysisEventSchema });
    const before = run.events().map(({ event }) => event);
    if (before.length === 0) {
      // Nothing was begun, so nothing can be taken up; the user is told to start anew.
      await expect(goOn(run, [])).rejects.toMatchObject({ code: 'input' });
      run.close();
      return;
    }
    const { result, end } = await goOn(run, before);
    run.close();
    const events = run.events().map(({ event }) => event);
    expect(end).toEqual({ status: 'complete', verification: 'not_run' });
    expect(result.subtasks.map(({ end: ended }) => ended?.status)).toEqual(['complete', 'complete']);
    const files = result.artifacts.filter(({ source }) => source.kind === 'file').map(({ name }) => name);
    expect(files).toEqual(['rows.csv', 'mean.csv']);
    // What was there is there still, and each subtask came to its end once.
    expect(events.slice(0, before.length)).toEqual(before);
    expect(events.filter(({ type }) => type === 'run_ended')).toHaveLength(1);
    expect(events.filter(({ type }) => type === 'subtask_ended')).toHaveLength(2);
    // No reply that is in the journal was asked for again.
    const replies = events.filter(({ type }) => type === 'replied').length;
    expect(answersIn(events)).toBe(replies);
    const { cells } = await readNotebook(path.join(run.dir, analysisFiles.notebook));
    expect(cells.filter((cell) => cell.cell_type === 'code').map(({ source }) => source)).toContain(
      'save mean.csv',
    );
    expect(JSON.parse(readFileSync(path.join(run.dir, analysisFiles.result), 'utf8'))).toEqual(result);
  },
);
