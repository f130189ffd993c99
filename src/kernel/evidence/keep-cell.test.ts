import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import {
  AssayError,
  type CellEvidence,
  type CellResult,
  cellResultSchema,
  type Output,
} from '../../core/index.ts';
import { asArtifactRef } from '../../store/index.ts';
import { fakeKernel } from '../fake-kernel.ts';
import { keepCell } from './keep-cell.ts';

const noEvidence: CellEvidence = {
  files: { created: [], changed: [], deleted: [] },
  variables: null,
  figures: [],
  warnings: [],
};
const png = Buffer.from('89504e470d0a1a0a', 'hex');

async function keepOf(options: {
  outputs?: Output[];
  evidence?: Partial<CellEvidence>;
  files?: Record<string, string>;
  stdout?: Uint8Array;
}) {
  const kept = new Map<string, Buffer>();
  const result: CellResult = {
    end: { status: 'ok' },
    executionCount: 1,
    outputs: options.outputs ?? [],
    streamBytes: { stdout: 0, stderr: 0 },
    truncated: options.stdout !== undefined,
    durationMs: 1,
    warnings: [],
  };
  const all = await keepCell({
    cell: 7,
    result,
    evidence: { ...noEvidence, ...options.evidence },
    kernel: fakeKernel({ replies: [], files: options.files ?? {} }),
    keep: async (data) => {
      const bytes = Buffer.from(data);
      const sha256 = createHash('sha256').update(bytes).digest('hex');
      kept.set(sha256, bytes);
      return { sha256, bytes: bytes.length };
    },
    spilled: { stdout: options.stdout ?? null, stderr: null },
  });
  cellResultSchema.parse(all.result);
  return { ...all, contents: all.artifacts.map(({ sha256 }) => kept.get(sha256)) };
}

describe('keepCell', () => {
  it('keeps images as artifacts, and in the journal what stands for them', async () => {
    const data = { 'image/png': png.toString('base64'), 'text/plain': '<Figure>' };
    const shown: Output = { output_type: 'display_data', data, metadata: {} };
    const { result, artifacts, contents } = await keepOf({ outputs: [shown] });
    expect(contents).toEqual([png]);
    expect(artifacts[0]).toMatchObject({ name: 'cell-7-figure.png', mediaType: 'image/png', bytes: 8 });
    expect(result.outputs[0]).toMatchObject({
      data: { 'image/png': { artifact: artifacts[0]?.sha256 }, 'text/plain': '<Figure>' },
    });
  });

  it('cuts long texts to head and tail and keeps the whole', async () => {
    const long = `start ${'x'.repeat(40_000)} end`;
    const html = `<table>${'y'.repeat(40_000)}</table>`;
    const { result, artifacts, contents } = await keepOf({
      outputs: [
        { output_type: 'stream', name: 'stdout', text: long },
        { output_type: 'display_data', data: { 'text/html': html, 'text/plain': 'short' }, metadata: {} },
      ],
    });
    expect(JSON.stringify(result).length).toBeLessThan(20_000);
    expect(JSON.stringify(result)).toContain('start x');
    expect(JSON.stringify(result)).toContain('x end');
    expect(artifacts.map(({ name }) => name)).toEqual(['cell-7-table.html', 'cell-7-stdout.txt']);
    expect(contents.map(String)).toEqual([html, long]);
  });

  it('keeps what spilled of a stream that the kernel cut', async () => {
    const { artifacts, contents } = await keepOf({ stdout: Buffer.from('all of it') });
    expect(contents.map(String)).toEqual(['all of it']);
    expect(artifacts[0]?.source).toEqual({ kind: 'stream', name: 'stdout' });
  });

  it('keeps files that were made or changed, and says which are too large', async () => {
    const file = (path: string, bytes: number) => ({ path, bytes, sha256: path });
    const { artifacts, contents, warnings } = await keepOf({
      files: { 'out/a.csv': 'a,b', 'b.bin': 'x' },
      evidence: {
        files: {
          created: [file('out/a.csv', 3), file('huge.bin', 1e9), file('gone.txt', 1)],
          changed: [{ ...file('b.bin', 1), before: 'old' }],
          deleted: [],
        },
      },
    });
    expect(artifacts.map(({ name, mediaType }) => [name, mediaType])).toEqual([
      ['a.csv', 'text/csv'],
      ['b.bin', 'application/octet-stream'],
    ]);
    expect(contents.map(String)).toEqual(['a,b', 'x']);
    expect(warnings).toEqual(["huge.bin has 954 MiB, too much to be kept in the run's folder."]);
  });

  it('keeps a journal in bounds, whatever a cell puts out', async () => {
    const outputs = Array.from(
      { length: 5_000 },
      (_, index): Output => ({
        output_type: 'display_data',
        data: { 'text/plain': `output ${index}` },
        metadata: {},
      }),
    );
    const error: Output = {
      output_type: 'error',
      ename: 'E',
      evalue: 'v'.repeat(1e6),
      traceback: Array(500).fill('f'.repeat(5_000)),
    };
    const { result, warnings } = await keepOf({ outputs: [error, ...outputs] });
    expect(result.outputs).toHaveLength(300);
    expect(warnings[0]).toContain('4701 outputs');
    expect(JSON.stringify(result).length).toBeLessThan(400_000);
  });

  it('keeps how a cell failed after many outputs, and the whole of a stream in as many places', async () => {
    const places = Array.from({ length: 400 }, (_, index): Output[] => [
      { output_type: 'stream', name: 'stdout', text: `${index}\n` },
      { output_type: 'stream', name: 'stderr', text: '.' },
    ]);
    const error: Output = { output_type: 'error', ename: 'E', evalue: 'v', traceback: ['at last'] };
    const { result, artifacts, contents } = await keepOf({ outputs: [...places.flat(), error] });
    expect(result.outputs).toHaveLength(300);
    expect(result.outputs.at(-1)).toMatchObject({ ename: 'E' });
    const stdout = artifacts.findIndex(({ name }) => name === 'cell-7-stdout.txt');
    expect(contents[stdout]?.toString()).toMatch(/^0\n1\n.*\n399\n$/s);
  });

  it('names an image by the title of its figure, and a second one of the same title apart', async () => {
    const shown = (bytes: Buffer): Output => ({
      output_type: 'display_data',
      data: { 'image/png': bytes.toString('base64') },
      metadata: {},
    });
    const figure = (output: number, title: string) => ({ output, file: null, title, axes: [] });
    const { artifacts } = await keepOf({
      outputs: [shown(png), shown(Buffer.from('other'))],
      evidence: { figures: [figure(0, 'Prix du blé (€/t)'), figure(1, 'Prix du blé (€/t)')] },
    });
    expect(artifacts.map(({ name }) => name)).toEqual([
      'cell-7-prix-du-blé-t.png',
      'cell-7-prix-du-blé-t-2.png',
    ]);
  });

  it('keeps tables and errors beside the result, which still holds them', async () => {
    const html = '<div><table border="1"><tr><td>1</td></tr></table></div>';
    const outputs: Output[] = [
      {
        output_type: 'execute_result',
        execution_count: 1,
        data: { 'text/html': html, 'text/plain': '1' },
        metadata: {},
      },
      { output_type: 'error', ename: 'KeyError', evalue: 'a', traceback: ['\u001b[31mKeyError\u001b[0m: a'] },
    ];
    const { result, artifacts, contents } = await keepOf({ outputs });
    expect(result.outputs).toEqual(outputs);
    expect(artifacts.map(({ name, mediaType }) => [name, mediaType])).toEqual([
      ['cell-7-table.html', 'text/html'],
      ['cell-7-error-keyerror.txt', 'text/plain'],
    ]);
    expect(contents.map(String)).toEqual([html, 'KeyError: a']);
  });

  it('never takes JSON of the code for the sign of an artifact', async () => {
    const forged = { artifact: 'a'.repeat(64) };
    const data = { 'application/json': forged };
    const { result, artifacts, contents } = await keepOf({
      outputs: [{ output_type: 'display_data', data, metadata: {} }],
    });
    const [output] = result.outputs;
    const kept = output !== undefined && 'data' in output ? output.data['application/json'] : null;
    expect(asArtifactRef(kept)?.artifact).toBe(artifacts[0]?.sha256);
    expect(contents.map(String)).toEqual([JSON.stringify(forged)]);
  });

  it('says which file could not be read, and goes on', async () => {
    const kernel = fakeKernel({ replies: [], files: { good: 'x' } });
    const read = async (path: string) => {
      if (path === 'bad') throw new AssayError({ code: 'input', message: 'it has grown', fix: 'Write less' });
      return kernel.files.read(path);
    };
    const file = (path: string) => ({ path, bytes: 1, sha256: path });
    const { artifacts, warnings } = await keepCell({
      cell: 1,
      result: { ...(await kernel.execute('1')) },
      evidence: { ...noEvidence, files: { created: [file('bad'), file('good')], changed: [], deleted: [] } },
      kernel: { files: { ...kernel.files, read } },
      keep: async (data) => ({ sha256: 'a', bytes: data.length }),
      spilled: { stdout: null, stderr: null },
    });
    expect(artifacts.map(({ name }) => name)).toEqual(['good']);
    expect(warnings).toEqual(['bad could not be kept: it has grown']);
  });
});
