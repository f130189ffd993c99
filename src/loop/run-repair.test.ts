import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import {
  AssayError,
  type Proposed,
  type RepairEvent,
  repairEventSchema,
  repairResultSchema,
} from '../core/index.ts';
import { type ScriptedReply, scriptedProposer } from '../propose/index.ts';
import { openStore, type Run } from '../store/index.ts';
import { noUsage } from './budget.ts';
import { type FakeLabOptions, fakeLab } from './fake-lab.ts';
import { createInbox } from './inbox.ts';
import { madeSpec } from './made.ts';
import type { RepairState } from './repair-state.ts';
import { repairFiles, repliesIn, resumeRepair, runRepair } from './run-repair.ts';
import { foldRepair, viewOf } from './view.ts';

const home = mkdtempSync(path.join(tmpdir(), 'assay-loop-'));
afterAll(() => rmSync(home, { recursive: true, force: true }));
const store = openStore({ home, env: {} });

const source = 'def add(a, b):\n    return a - b\n\n\ndef twice(a):\n    return a + a + a\n';
const says = (text: string) => (files: ReadonlyMap<string, string>) =>
  files.get('src/a.py')?.includes(text) ? null : `no ${text} at 0x7f12`;
const project: FakeLabOptions = {
  files: { 'src/a.py': source, 'tests/test_a.py': 'import a\n', 'tests/held_out/test_b.py': 'hidden\n' },
  tests: {
    'tests/test_a.py::add': says('a + b'),
    'tests/test_a.py::twice': says('2 * a'),
    'tests/test_a.py::names': says('def add'),
    'tests/held_out/test_b.py::secret': says('return'),
  },
};

const edit = (search: string, replace: string) => ({
  op: 'replace' as const,
  path: 'src/a.py',
  search,
  replace,
});
const adds = edit('    return a - b', '    return a + b');
const doubles = edit('    return a + a + a', '    return 2 * a');
const proposal = (edits: ReturnType<typeof edit>[], over: Partial<Proposed> = {}): Proposed =>
  ({ kind: 'proposal', motivation: 'fix', edits, alternatives: [], usage: noUsage, ...over }) as Proposed;
const both = [proposal([adds]), proposal([doubles])];

async function setUp(replies: readonly ScriptedReply[], over: Partial<FakeLabOptions> = {}) {
  const spec = madeSpec({ dir: path.join(home, 'no-such-folder') });
  const run = await store.create({ kind: 'fix', spec, event: repairEventSchema });
  const lab = fakeLab({ ...project, ...over });
  const proposer = scriptedProposer({ replies });
  const stop = new AbortController();
  return {
    spec,
    run,
    lab,
    proposer,
    stop,
    options: { spec, run, lab, proposers: [proposer], signal: stop.signal },
  };
}

const eventsIn = (run: Run<RepairEvent>) => run.events().map(({ event }) => event);
const foldAll = (events: RepairEvent[]) => {
  let state: RepairState | null = null;
  for (const event of events) state = foldRepair(state, event);
  if (state === null) throw new Error('no events');
  return state;
};
const read = (run: Run<RepairEvent>, name: string) => readFileSync(path.join(run.dir, name), 'utf8');

describe('runRepair', () => {
  it('fixes a project in two rounds and leaves patch, report and result in the run folder', async () => {
    const { options, run, lab, proposer } = await setUp(both);
    const { result, end, resumable } = await runRepair(options);
    expect({ end, resumable }).toEqual({ end: { status: 'done' }, resumable: false });
    expect(result).toMatchObject({ run: run.id, rounds: 2, holdout: { total: 1, passed: 1 }, warnings: [] });
    expect(read(run, repairFiles.patch)).toBe(result.patch);
    expect(result.patch).toContain('-    return a - b\n+    return a + b');
    expect(result.patch).toContain('+    return 2 * a');
    expect(repairResultSchema.parse(JSON.parse(read(run, repairFiles.result)))).toEqual(result);
    expect(JSON.parse(read(run, repairFiles.report)).tests).toHaveLength(4);
    expect(Object.keys(JSON.parse(read(run, repairFiles.files)).files)).toHaveLength(3);
    expect(existsSync(path.join(run.dir, 'scratch'))).toBe(false);
    expect(lab.warm).toBe(0);
    expect(lab.jobs.map(({ tests }) => tests ?? 'visible')).toEqual([
      'visible',
      'visible',
      'visible',
      'visible',
      'all',
    ]);
    // Nothing of the held-out tests is told, and of the journal no report names one.
    expect(JSON.stringify(proposer.heard)).not.toMatch(/held_out|secret|hidden/);
    expect(read(run, 'journal.jsonl')).not.toMatch(/held_out|secret/);
  });

  it('hands the proposer the files as they are, and judges candidates on top of the patch so far', async () => {
    const seen: unknown[] = [];
    const search: ScriptedReply = async (_, tools) => {
      const text = tools.read('src/a.py') ?? '';
      seen.push(
        tools.files,
        text.includes('a + b'),
        tools.read('none'),
        tools.protectedBecause('tests/x.py'),
      );
      await tools.coverage();
      const candidates = ['3 * a', '2 * a'].map((right) => ({
        id: right,
        files: [{ path: 'src/a.py', content: text.replace('a + a + a', right) }],
      }));
      const results = await tools.evaluate(candidates, { signal: tools.signal });
      seen.push(results.map(({ status }) => status));
      return proposal([doubles], { usage: { ...noUsage, candidates: 2 } });
    };
    const { options, run, lab } = await setUp([proposal([adds]), search]);
    const { result } = await runRepair(options);
    expect(result).toMatchObject({ status: 'done', usage: { candidates: 2 } });
    expect(seen).toEqual([['src/a.py', 'tests/test_a.py'], true, null, 'it is a test', ['failed', 'passed']]);
    expect(eventsIn(run).filter(({ type }) => type === 'candidates')).toMatchObject([
      { round: 2, tried: 2, passed: 1, hung: 0 },
    ]);
    expect(lab.warm).toBe(0);
  });

  it('closes the warm evaluator when the proposer throws, and says that it is a bug', async () => {
    const { options, lab } = await setUp([
      async (_, tools) => {
        await tools.coverage();
        throw new TypeError('oops');
      },
    ]);
    const { end } = await runRepair(options);
    expect(end).toMatchObject({ status: 'error', detail: 'oops' });
    expect(lab.warm).toBe(0);
  });

  it('refuses edits of protected files without a test run', async () => {
    const bad = proposal([{ ...adds, path: 'tests/test_a.py' }]);
    const { options, proposer, lab } = await setUp([bad, ...both]);
    expect((await runRepair(options)).end).toEqual({ status: 'done' });
    expect(proposer.heard[1]?.refusals).toMatchObject([{ code: 'protected', path: 'tests/test_a.py' }]);
    expect(lab.jobs).toHaveLength(5);
  });

  it('does not take over a patch that held-out tests do not agree with', async () => {
    const { options, proposer } = await setUp([proposal([adds, doubles])], {
      tests: { ...project.tests, 'tests/held_out/test_b.py::secret': () => 'the secret answer is 42' },
    });
    const { end, result } = await runRepair(options);
    expect(end).toMatchObject({ status: 'stuck', why: 'unconfirmed' });
    expect(result).toMatchObject({ bestEffort: true, holdout: { total: 1, passed: 0 } });
    expect(JSON.stringify(proposer.heard)).not.toMatch(/secret|42/);
  });

  it('ends where the project cannot be opened, with what to do', async () => {
    const { options, run } = await setUp(both, {
      before: () => {
        throw new AssayError({ code: 'environment', message: 'no python', fix: 'install python3' });
      },
    });
    const { result } = await runRepair(options);
    expect(result).toMatchObject({
      status: 'environment_error',
      reason: 'no python',
      fix: 'install python3',
      patch: null,
    });
    expect(eventsIn(run).map(({ type }) => type)).toEqual([
      'run_started',
      'effect_started',
      'effect_failed',
      'run_ended',
    ]);
  });

  it('derives the time limit of a test run from the baseline, and takes a given one as it is', async () => {
    const { options, lab } = await setUp(both);
    await runRepair(options);
    expect(lab.jobs.map(({ limits }) => limits?.wallMs)).toEqual([300_000, 300_000, 10_000, 10_000, 10_000]);
    const given = await setUp(both);
    await runRepair({ ...given.options, spec: { ...given.spec, testTimeoutMs: 7_000 } });
    expect(new Set(given.lab.jobs.map(({ limits }) => limits?.wallMs))).toEqual(new Set([7_000]));
    const one = await setUp(both);
    await runRepair({ ...one.options, spec: { ...one.spec, perTestMs: 3_000 } });
    expect(new Set(one.lab.jobs.map(({ limits }) => limits?.testMs))).toEqual(new Set([3_000]));
  });
});

it('says that held-out tests were asked for and none is there', async () => {
  const { options, spec } = await setUp(both);
  const files = { 'src/a.py': source, 'tests/test_a.py': '' };
  const { result } = await runRepair({
    ...options,
    lab: fakeLab({ ...project, files }),
    spec: { ...spec, holdout: ['nowhere/**'] },
  });
  expect(result).toMatchObject({
    status: 'environment_error',
    reason: expect.stringContaining('nowhere/**'),
  });
});

describe('resumeRepair', () => {
  /** A run that is stopped by its `n`th test run. */
  async function stopped(n: number) {
    let runs = 0;
    const up = await setUp(both, {
      before: (door) => {
        if (door !== 'runLab' || ++runs !== n) return;
        up.stop.abort();
        throw new Error('cut');
      },
    });
    return { ...up, first: await runRepair(up.options) };
  }

  it.each([1, 2, 3, 4, 5])('goes on after an abort in test run %i to the same end', async (n) => {
    const { first, run } = await stopped(n);
    expect(first).toMatchObject({ end: { status: 'aborted' }, resumable: true });
    expect(first.result.reason).toContain(`assay resume ${run.id}`);
    expect(eventsIn(run).at(-1)).toMatchObject({ type: 'stopped' });
    run.close();

    const again = store.open(run.id, { event: repairEventSchema });
    const replies = both.slice(repliesIn(eventsIn(again))[0]);
    const lab = fakeLab(project);
    const { result, end } = await resumeRepair({
      run: again,
      lab,
      proposers: [scriptedProposer({ replies })],
      signal: new AbortController().signal,
    });
    expect(end).toEqual({ status: 'done' });
    expect(result).toMatchObject({ rounds: 2, confirmations: 1 });
    expect(lab.jobs).toHaveLength(6 - n);
    expect(eventsIn(again).filter(({ type }) => type === 'run_ended')).toHaveLength(1);
  });

  it('gives the result of an ended run again and journals nothing', async () => {
    const { options, run, lab } = await setUp(both);
    const first = await runRepair(options);
    const before = eventsIn(run).length;
    const again = await resumeRepair({ ...options, proposers: [scriptedProposer({ replies: [] })] });
    expect(again).toEqual(first);
    expect(eventsIn(run)).toHaveLength(before);
    expect(lab.jobs).toHaveLength(5);
  });

  it('ends a run that was decided and cut before it said so, whatever became of the project', async () => {
    const { options, run } = await setUp(both);
    await runRepair(options);
    run.close();
    const journal = path.join(run.dir, 'journal.jsonl');
    const lines = readFileSync(journal, 'utf8').trimEnd().split('\n');
    writeFileSync(journal, `${lines.slice(0, -1).join('\n')}\n`);
    const cut = store.open(run.id, { event: repairEventSchema });
    const before = () => {
      throw new AssayError({ code: 'environment', message: 'the folder is gone', fix: 'none' });
    };
    const { result } = await resumeRepair({
      ...options,
      run: cut,
      lab: fakeLab({ ...project, before }),
    });
    expect(result).toMatchObject({ status: 'done', patch: expect.stringContaining('2 * a') });
    expect(
      eventsIn(cut)
        .slice(lines.length - 1)
        .map(({ type }) => type),
    ).toEqual(['resumed', 'run_ended']);
  });

  it('keeps secrets out of the run folder and says so', async () => {
    const safe = openStore({ home, env: { API_TOKEN: 'tok_0123456789abcdef' } });
    const { options, spec } = await setUp(both);
    const run = await safe.create({ kind: 'fix', spec, event: repairEventSchema });
    const leaky = { ...project.tests, 'tests/test_a.py::names': () => 'got tok_0123456789abcdef' };
    const { result } = await runRepair({ ...options, run, lab: fakeLab({ ...project, tests: leaky }) });
    expect(result.warnings.join()).toContain('secrets were left out of the run folder');
    expect(read(run, 'journal.jsonl')).not.toContain('tok_0123456789abcdef');
  });

  it('goes on with the files it began with, whatever has become of them', async () => {
    const { run, options } = await stopped(3);
    const changed = fakeLab({ ...project, files: { 'src/a.py': '', 'other.py': '' } });
    const { end } = await resumeRepair({ ...options, lab: changed, signal: new AbortController().signal });
    expect(end).toEqual({ status: 'done' });
    expect(read(run, repairFiles.patch)).toContain('+    return 2 * a');
    expect(Object.keys(JSON.parse(read(run, repairFiles.files)).files)).toContain('src/a.py');
  });

  it('does not go on with a copy of the project that is damaged, and journals nothing', async () => {
    const { run, options } = await stopped(3);
    const before = eventsIn(run).length;
    const again = () => resumeRepair({ ...options, signal: new AbortController().signal });
    const { packed } = JSON.parse(read(run, repairFiles.files));
    writeFileSync(path.join(run.dir, 'artifacts', packed), 'other');
    await expect(again()).rejects.toMatchObject({ code: 'input', because: 'its content was changed' });
    writeFileSync(path.join(run.dir, repairFiles.files), '{}');
    await expect(again()).rejects.toMatchObject({
      code: 'input',
      message: expect.stringContaining('files.json'),
    });
    expect(eventsIn(run)).toHaveLength(before);
  });

  it('goes on where a model could not be had, as often as that is', async () => {
    const gone = () => {
      throw new AssayError({ code: 'provider', message: 'the key was refused', fix: 'set SOME_API_KEY' });
    };
    const { options, run, proposer } = await setUp([proposal([adds]), gone, gone, proposal([doubles])]);
    const first = await runRepair(options);
    const end = { status: 'environment_error', detail: 'the key was refused', fix: 'set SOME_API_KEY' };
    expect(first).toMatchObject({ end, resumable: true });
    expect(first.result).toMatchObject({
      status: 'environment_error',
      reason: `the key was refused; assay resume ${run.id} asks the same model again`,
      fix: 'set SOME_API_KEY',
      rounds: 1,
      bestEffort: true,
    });
    expect(viewOf(foldAll(eventsIn(run)))).toMatchObject({ phase: 'stopped', end: null });
    expect(await resumeRepair(options)).toMatchObject({ end, resumable: true });
    const last = await resumeRepair(options);
    expect(last).toMatchObject({ end: { status: 'done' }, result: { rounds: 2 } });
    expect(proposer.heard).toHaveLength(4);
    expect(eventsIn(run).filter(({ type }) => type === 'run_ended')).toHaveLength(1);
  });

  it('is stopped by a message, and steered before it goes on', async () => {
    const inbox = createInbox();
    const up = await setUp([
      (feedback) => {
        inbox.put({ kind: 'steer', text: 'mind the sign' });
        inbox.put({ kind: 'stop', detail: 'enough for today' });
        return feedback.round === 1 ? proposal([adds]) : proposal([doubles]);
      },
      proposal([doubles]),
    ]);
    const first = await runRepair({ ...up.options, inbox });
    expect(first).toMatchObject({ resumable: true, end: { detail: 'enough for today' } });
    const { end } = await resumeRepair({ ...up.options, signal: new AbortController().signal });
    expect(end).toEqual({ status: 'done' });
    expect(up.proposer.heard[1]?.steering).toEqual(['mind the sign']);
  });
});
