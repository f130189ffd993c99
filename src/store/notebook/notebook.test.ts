import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { artifactOf, printed, resultOf, shown } from './notebook.fixture.ts';
import { Notebook, type NotebookItem, type NotebookParts } from './notebook.ts';
import { parseNotebook, readNotebook } from './read-notebook.ts';

let dir: string;
let file: string;
beforeEach(() => {
  dir = mkdtempSync(path.join(tmpdir(), 'assay-notebook-'));
  file = path.join(dir, 'notebook.ipynb');
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const open = (parts: Partial<NotebookParts> = {}) =>
  new Notebook({
    file,
    clean: (value) => value,
    readArtifact: async () => {
      throw new Error('no artifact is expected here');
    },
    ...parts,
  });

const ran = (code: string, result: Parameters<typeof resultOf>[0] = {}): NotebookItem => ({
  kind: 'code',
  code,
  result: resultOf(result),
});
const kernel = {
  name: 'python3',
  language: 'python',
  languageVersion: '3.12.1',
  implementation: 'ipykernel 7',
};
const textOf = (at: number) => readNotebook(file).then(({ cells }) => cells[at]);

describe('Notebook', () => {
  it('is whole and valid after every append', async () => {
    const notebook = open();
    await notebook.append([{ kind: 'markdown', text: '# Prices\n\nof wheat', tags: ['task'] }]);
    await notebook.append([ran('print(1)\n1', { executionCount: 1, outputs: [printed('1\n')] })], { kernel });
    const content = await readNotebook(file);
    expect(content.metadata).toMatchObject({
      kernelspec: { name: 'python3', display_name: 'python 3.12.1' },
      language_info: { name: 'python', version: '3.12.1', file_extension: '.py' },
    });
    expect(content.cells).toEqual([
      { id: 'cell-1', cell_type: 'markdown', metadata: { tags: ['task'] }, source: '# Prices\n\nof wheat' },
      {
        id: 'cell-2',
        cell_type: 'code',
        metadata: {},
        execution_count: 1,
        source: 'print(1)\n1',
        outputs: [printed('1\n')],
      },
    ]);
  });

  it('keeps tracebacks raw and leaves out what only a live display needs', async () => {
    const traceback = ['\u001b[31mKeyError\u001b[0m', "'prise'"];
    await open().append([
      ran("df['prise']", {
        end: { status: 'error', ename: 'KeyError', evalue: "'prise'" },
        outputs: [
          shown({ 'text/plain': 'x' }, 'd1'),
          { output_type: 'error', ename: 'KeyError', evalue: "'prise'", traceback },
        ],
      }),
    ]);
    expect(await textOf(0)).toMatchObject({
      outputs: [
        { output_type: 'display_data', data: { 'text/plain': ['x'] }, metadata: {} },
        { output_type: 'error', ename: 'KeyError', evalue: "'prise'", traceback },
      ],
    });
    expect(readFileSync(file, 'utf8')).not.toContain('d1');
  });

  it('takes images from their artifacts, and points to those that are too large', async () => {
    const small = 'a'.repeat(64);
    const large = 'b'.repeat(64);
    const asked: string[] = [];
    const notebook = open({
      maxOutputBytes: 100,
      readArtifact: async (sha256) => {
        asked.push(sha256);
        return Buffer.from('png');
      },
    });
    await notebook.append([
      {
        kind: 'code',
        code: 'plot()',
        result: resultOf({
          outputs: [
            shown({ 'image/png': { artifact: small }, 'text/plain': '<Figure>' }),
            shown({ 'image/png': { artifact: large }, 'text/plain': '<Figure>' }),
          ],
        }),
        artifacts: [
          artifactOf(small),
          artifactOf(large, { bytes: 101, source: { kind: 'output', output: 1, mediaType: 'image/png' } }),
        ],
      },
    ]);
    expect(asked).toEqual([small]);
    expect(await textOf(0)).toMatchObject({
      outputs: [
        { data: { 'image/png': Buffer.from('png').toString('base64') } },
        {
          data: {
            'text/plain': [
              '<Figure>\n',
              `[image/png of 101 bytes is too large for the notebook and is in artifacts/${large}]`,
            ],
          },
          metadata: { assay: { artifacts: [{ mediaType: 'image/png', bytes: 101, artifact: large }] } },
        },
      ],
    });
  });

  it('puts late output and new content of displays where they belong', async () => {
    const notebook = open();
    await notebook.append([
      ran('start()', { executionCount: 1, outputs: [printed('a\n'), shown({ 'text/plain': '0 %' }, 'bar')] }),
    ]);
    await notebook.append([
      ran('1', {
        executionCount: 2,
        outputs: [printed('b\n')],
        late: [
          { executionCount: 1, output: printed('late\n') },
          { executionCount: 2, output: printed('later than its own end\n') },
        ],
        updates: [{ displayId: 'bar', data: { 'text/plain': '100 %' }, metadata: {} }],
      }),
    ]);
    await notebook.finish();
    expect(await textOf(0)).toMatchObject({
      outputs: [
        printed('a\n'),
        { output_type: 'display_data', data: { 'text/plain': ['100 %'] } },
        printed('late\n'),
      ],
    });
    expect(await textOf(1)).toMatchObject({
      source: '1',
      outputs: [printed('b\nlater than its own end\n')],
    });
  });

  it('gives one result, however the cells are handed over', async () => {
    const items = Array.from({ length: 30 }, (_, index) =>
      ran(`x = ${index}`, {
        executionCount: index + 1,
        outputs: [printed(`é ${index}\n`), shown({ 'text/plain': String(index) }, `d${index % 5}`)],
        late: index < 3 ? [] : [{ executionCount: index - 2, output: printed(`late ${index}\n`) }],
        updates: [{ displayId: `d${(index + 1) % 5}`, data: { 'text/plain': `at ${index}` }, metadata: {} }],
      }),
    );
    const whole = open();
    await whole.append(items);
    await whole.finish();
    const expected = readFileSync(file, 'utf8');
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 4, maxLength: 30 }),
        async (sizes) => {
          const notebook = open();
          let from = 0;
          for (const size of [...sizes, items.length]) {
            await notebook.append(items.slice(from, from + size));
            parseNotebook(readFileSync(file, 'utf8'), file);
            from += size;
          }
          await notebook.finish();
          expect(readFileSync(file, 'utf8')).toBe(expected);
        },
      ),
      { numRuns: 15 },
    );
  });

  it('costs the same for each of 1,000 cells', async () => {
    const notebook = open();
    const written: number[] = [];
    for (let index = 1; index <= 1000; index++) {
      const before = notebook.writtenBytes;
      await notebook.append([
        ran(`f(${index})`, { executionCount: index, outputs: [printed('x'.repeat(1000))] }),
      ]);
      written.push(notebook.writtenBytes - before);
    }
    const { size } = statSync(file);
    expect(size).toBeGreaterThan(1_000_000);
    // Each cell is written once to either of the two files.
    expect(Math.max(...written)).toBeLessThan(4000);
    expect(notebook.writtenBytes).toBeLessThan(2.6 * size);
    expect((await readNotebook(file)).cells).toHaveLength(1000);
  });

  it('does not become quadratic by a thread that prints on and on', async () => {
    const notebook = open();
    for (let index = 1; index <= 400; index++) {
      const late = index === 1 ? [] : [{ executionCount: 1, output: printed('tick\n') }];
      await notebook.append([
        ran(`f(${index})`, { executionCount: index, outputs: [printed('x'.repeat(500))], late }),
      ]);
    }
    await notebook.finish();
    expect(await textOf(0)).toMatchObject({
      outputs: [{ text: `${'x'.repeat(500)}${'tick\n'.repeat(399)}` }],
    });
    expect(notebook.writtenBytes).toBeLessThan(6 * statSync(file).size);
  });

  it('leaves only the notebook, also after a writer that was killed', async () => {
    writeFileSync(path.join(dir, '.notebook.ipynb.twin'), 'torn');
    writeFileSync(path.join(dir, '.notebook.ipynb.twin.old'), 'torn');
    const notebook = open();
    for (const code of ['a', 'b', 'c']) await notebook.append([ran(code)]);
    await notebook.finish();
    expect(readdirSync(dir)).toEqual(['notebook.ipynb']);
    await notebook.append([ran('d')]);
    expect((await readNotebook(file)).cells.map(({ source }) => source)).toEqual(['a', 'b', 'c', 'd']);
  });

  it('is not spoilt by others who save over it, in place or by renaming', async () => {
    const notebook = open();
    await notebook.append([ran('a')]);
    await notebook.append([ran('b')]);
    writeFileSync(file, 'saved by an editor');
    await notebook.append([ran('c')]);
    rmSync(file);
    writeFileSync(file, '{}');
    await notebook.append([ran('d')]);
    await notebook.append([ran('e')]);
    rmSync(file);
    await notebook.append([ran('f')]);
    await notebook.append([ran('g')]);
    expect((await readNotebook(file)).cells.map(({ source }) => source)).toEqual([...'abcdefg']);
  });

  it('says where it cannot be written, and goes on where it can again', async () => {
    const missing = path.join(dir, 'gone');
    const notebook = open({ file: path.join(missing, 'notebook.ipynb') });
    await expect(notebook.append([ran('a')])).rejects.toMatchObject({
      code: 'environment',
      message: expect.stringContaining('Could not save the notebook'),
    });
    expect(existsSync(missing)).toBe(false);
  });

  it('holds any text, and reads back what was put in', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.string({ unit: 'binary' }), fc.string({ unit: 'grapheme' })), { maxLength: 5 }),
        async (cells) => {
          const notebook = open();
          await notebook.append(
            cells.map(([code, text]) => ran(code, { outputs: text === '' ? [] : [printed(text)] })),
          );
          const read = await readNotebook(file);
          expect(read.cells.map(({ source }) => source)).toEqual(cells.map(([code]) => code.toWellFormed()));
          await notebook.finish();
        },
      ),
      { numRuns: 40 },
    );
  });
});

describe('readNotebook', () => {
  it.each([
    ['no JSON', '{'],
    ['no notebook', '{"cells": 1}'],
    ['an old format', '{"nbformat": 3, "nbformat_minor": 0, "metadata": {}, "worksheets": []}'],
    [
      'two cells of one id',
      JSON.stringify({
        nbformat: 4,
        nbformat_minor: 5,
        metadata: {},
        cells: [1, 2].map(() => ({ id: 'a', cell_type: 'markdown', metadata: {}, source: [] })),
      }),
    ],
  ])('refuses %s and says why', async (_, text) => {
    writeFileSync(file, text);
    await expect(readNotebook(file)).rejects.toMatchObject({ code: 'input' });
  });
});
