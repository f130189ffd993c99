import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type AnalysisEvent, analysisEventSchema } from '../../core/index.ts';
import type { Run } from '../run.ts';
import { openStore } from '../store.ts';
import { printed, resultOf, shown } from './notebook.fixture.ts';
import { readNotebook } from './read-notebook.ts';

const token = 'hf_Zq8sT3vLw0Xy7Kd2Pm5Rb9Nc4Jf6Gh1A';
let home: string;
let run: Run<AnalysisEvent>;
beforeEach(async () => {
  home = mkdtempSync(path.join(tmpdir(), 'assay-story-'));
  const store = openStore({ home, env: { MY_API_KEY: 'correct-horse-7' } });
  run = await store.create({ kind: 'solve', spec: {}, event: analysisEventSchema });
});
afterEach(() => {
  run.close();
  rmSync(home, { recursive: true, force: true });
});

const event = (value: unknown): AnalysisEvent => analysisEventSchema.parse(value);
const subtask = (id: string, title: string) => ({ id, title, prompt: `Find out: ${title}` });

const started = event({
  type: 'run_started',
  spec: {
    kind: 'solve',
    task: '# Wheat\nSay what you leave out.\n\n## Prices\nFind out: Prices\n\n## Stocks\nFind out: Stocks',
    subtasks: [subtask('1-prices', 'Prices'), subtask('2-stocks', 'Stocks')],
    plan: false,
    dataDir: null,
    kernel: 'python3',
    runtime: 'jupyter',
    model: 'replay:a',
    settings: { transport: 'auto', maxOutputTokens: 1, contextTokens: 1, baseUrl: null, prices: {} },
    limits: { retries: 1, totalRetries: 1, turns: 1, tokens: null, costUsd: null, wallMs: 1, cellMs: 1 },
    checks: [{ name: 'there are stocks', code: 'assert stocks', subtask: null }],
    seed: 1,
  },
});
const opened = (replayed = 0, differences: unknown[] = []) =>
  event({
    type: 'kernel_opened',
    kernel: { name: 'python3', language: 'python', languageVersion: '3.12.1', implementation: 'ipython 9' },
    enforcement: null,
    files: 0,
    replayed,
    differences,
    warnings: [],
    wallMs: 1,
  });
const said = (id: string, text: string) =>
  event({ type: 'replied', subtask: id, turn: 1, reply: { text, toolCalls: [], finish: 'stop' }, wallMs: 1 });
const ran = (id: string, cell: number, code: string, result: unknown = {}, purpose = 'work') =>
  event({
    type: 'cell_ran',
    ...{ subtask: id, cell, purpose, code },
    result: { ...resultOf({ executionCount: cell }), ...(result as object) },
    evidence: {
      files: { created: [], changed: [], deleted: [] },
      variables: null,
      figures: [],
      warnings: [],
    },
    artifacts: [],
    wallMs: 1,
  });

const told = async () => {
  const { cells } = await readNotebook(path.join(run.dir, 'notebook.ipynb'));
  return cells.map(({ cell_type, source, metadata }) => [cell_type, source, metadata.tags ?? []]);
};

describe('the notebook of an analysis', () => {
  it('tells the task, its parts, what was said and run, and what a reader has to know', async () => {
    const notebook = run.openNotebook();
    await notebook.take([started]);
    await notebook.take([opened()]);
    await notebook.take([said('1-prices', 'First a look.')]);
    await notebook.take([ran('1-prices', 1, 'look()')]);
    await notebook.take([event({ type: 'steered', text: 'mind\nthe gap' })]);
    await notebook.take([
      ran('1-prices', 2, 'loop()', { end: { status: 'timeout', deadlineMs: 2000, stateLost: true } }),
    ]);
    await notebook.take([
      event({
        type: 'subtask_ended',
        subtask: '1-prices',
        end: { status: 'turn_limit', limit: 3 },
        summary: '',
        wallMs: 1,
      }),
    ]);
    await notebook.take([ran('2-stocks', 3, 'assert stocks', {}, 'check')]);
    await notebook.take([event({ type: 'stopped', detail: 'Ctrl-C', wallMs: 1 })]);
    await notebook.take([
      event({ type: 'resumed', lost: null }),
      opened(3, [{ cell: 1, detail: 'it printed more' }]),
    ]);
    await notebook.finish();
    expect(await told()).toEqual([
      ['markdown', '# Wheat\nSay what you leave out.', ['task']],
      ['markdown', expect.stringContaining('a recorded conversation** (`a`)'), ['about']],
      ['markdown', '## Prices\n\nFind out: Prices', ['subtask']],
      ['markdown', 'First a look.', ['model']],
      ['code', 'look()', []],
      ['markdown', '> **From the user:** mind\n> the gap', ['user']],
      ['code', 'loop()', ['raises-exception', 'skip-execution']],
      [
        'markdown',
        '> **Note:** This cell was interrupted after 2 s. The kernel was restarted: state lost. Leave it out when you run the notebook again.',
        ['note'],
      ],
      ['markdown', '> **Note:** This part ended as `turn_limit`', ['note']],
      ['markdown', '## Stocks\n\nFind out: Stocks', ['subtask']],
      ['markdown', '> **Check:** there are stocks', ['check']],
      ['code', 'assert stocks', ['check']],
      ['markdown', '> **Note:** The run was interrupted: Ctrl-C', ['note']],
      ['markdown', '> **Note:** The run was taken up again.', ['note']],
      [
        'markdown',
        '> **Note:** A new kernel ran the 3 cells before this line again, and gave other results:\n> - cell 1: it printed more',
        ['note'],
      ],
    ]);
    expect(readdirSync(run.dir).filter((name) => name.includes('notebook'))).toEqual(['notebook.ipynb']);
  });

  it('tells the programs that run notebooks what to do with cells that did not end well', async () => {
    const notebook = run.openNotebook();
    const ends = [
      { status: 'ok' },
      { status: 'error', ename: 'KeyError', evalue: "'rain'" },
      { status: 'interrupted', stateLost: false },
      { status: 'died', cause: 'oom', detail: 'out of memory' },
    ];
    await notebook.take([started, ...ends.map((end, at) => ran('1-prices', at + 1, `c${at}()`, { end }))]);
    await notebook.take([ran('1-prices', 5, 'assert 0', { end: ends[1] }, 'check')]);
    await notebook.finish();
    expect((await told()).filter(([type]) => type === 'code')).toEqual([
      ['code', 'c0()', []],
      ['code', 'c1()', ['raises-exception']],
      ['code', 'c2()', ['raises-exception', 'skip-execution']],
      ['code', 'c3()', ['skip-execution']],
      ['code', 'assert 0', ['check', 'raises-exception']],
    ]);
  });

  it('is the same when a resumed run tells all events at once', async () => {
    const events = [
      started,
      opened(),
      said('1-prices', 'a'),
      ran('1-prices', 1, 'b'),
      ran('2-stocks', 2, 'c'),
    ];
    const first = run.openNotebook();
    for (const one of events) await first.take([one]);
    await first.finish();
    const before = await run.readFile('notebook.ipynb');
    const second = run.openNotebook();
    await second.take(events);
    await second.finish();
    expect(await run.readFile('notebook.ipynb')).toEqual(before);
  });

  it('holds no secret: not in code, text, outputs, tracebacks or what comes late', async () => {
    const notebook = run.openNotebook();
    const secret = `${token} correct-horse-7`;
    await notebook.take([
      started,
      said('1-prices', secret),
      ran('1-prices', 1, `key = "${secret}"`, {
        outputs: [
          printed(secret),
          shown({
            'text/html': `<b>${secret}</b>`,
            'application/json': { [secret]: [secret] },
            'image/png': token,
          }),
          { output_type: 'error', ename: 'E', evalue: secret, traceback: [secret] },
        ],
      }),
    ]);
    await notebook.take([
      ran('1-prices', 2, '1', { late: [{ executionCount: 1, output: printed(secret) }] }),
    ]);
    await notebook.finish();
    const text = String(await run.readFile('notebook.ipynb'));
    expect(text).toContain('[scrubbed:huggingface-token] [scrubbed:MY_API_KEY]');
    expect(text).not.toContain(token);
    expect(text).not.toContain('correct-horse');
    expect([...run.scrubbed].toSorted()).toEqual(['MY_API_KEY', 'huggingface-token']);
  });

  it('leaves images as they are, though chance may write a token into them', async () => {
    const image = Buffer.from(
      `${'A'.repeat(300)}/AKIAABCDEFGHIJKLMNOP/${'B'.repeat(300)}`,
      'base64',
    ).toString('base64');
    expect(image).toContain('AKIAABCDEFGHIJKLMNOP');
    const notebook = run.openNotebook();
    await notebook.take([
      started,
      ran('1-prices', 1, 'plot()', { outputs: [shown({ 'image/png': image })] }),
    ]);
    expect(String(await run.readFile('notebook.ipynb'))).toContain(image);
  });

  it('cannot be written without the lock of the run', () => {
    run.close();
    expect(() => run.openNotebook()).toThrow('without its lock');
  });
});

const python = path.resolve(import.meta.dirname, '../../../.venv/bin/python');

describe.runIf(existsSync(python))("Jupyter's own reader", () => {
  it('finds a notebook of all kinds of cells and outputs valid', async () => {
    const notebook = run.openNotebook({ maxOutputBytes: 1000 });
    const outputs = [
      printed('a\n\u2028b\r\n\u001b[31mc\ud800'),
      shown(
        { 'text/plain': ['a\n', 'b'], 'application/json': [1, { a: null }], 'application/vnd.x+json': 1 },
        'd',
      ),
      shown({ 'image/png': 'aGVsbG8=', 'image/svg+xml': '<svg>\n</svg>', 'text/html': 'x'.repeat(5000) }),
      shown({ 'text/plain': 3, 'text/latex': { a: 1 } }),
      {
        output_type: 'execute_result',
        execution_count: null,
        data: { 'text/plain': '' },
        metadata: { a: {} },
      },
      { output_type: 'error', ename: '', evalue: '', traceback: [] },
    ];
    await notebook.take([
      started,
      opened(),
      said('1-prices', 'é 漢 👩‍🔬\n'),
      ran('1-prices', 1, 'a\nb\n', { outputs }),
    ]);
    await notebook.take([
      ran('1-prices', 2, '', {
        end: { status: 'died', cause: 'oom', detail: 'out of memory' },
        executionCount: null,
        updates: [{ displayId: 'd', data: { 'text/plain': 'new' }, metadata: {} }],
        late: [{ executionCount: 1, output: printed('late') }],
      }),
    ]);
    await notebook.finish();
    const script = [
      'import nbformat, sys',
      'read = nbformat.read(sys.argv[1], as_version=nbformat.NO_CONVERT)',
      'nbformat.validate(read, relax_add_props=False)',
      'print(nbformat.__version__[0], read.nbformat, read.nbformat_minor, len(read.cells))',
    ].join('\n');
    const file = path.join(run.dir, 'notebook.ipynb');
    const { stdout, stderr, status } = spawnSync(python, ['-W', 'error', '-c', script, file], {
      encoding: 'utf8',
    });
    expect({ stderr, stdout, status }).toEqual({ stderr: '', stdout: '5 4 5 7\n', status: 0 });
  });
});
