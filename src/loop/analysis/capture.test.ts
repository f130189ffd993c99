import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { type CellEvidence, type CellResult, cellResultSchema, type Output } from '../../core/index.ts';
import { fakeKernel } from '../../kernel/index.ts';
import { captureCell } from './capture.ts';
import { noEvidence } from './holdings.ts';

const png = Buffer.from('89504e470d0a1a0a', 'hex');

async function capture(options: {
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
  const captured = await captureCell({
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
  cellResultSchema.parse(captured.result);
  return { ...captured, contents: captured.artifacts.map(({ sha256 }) => kept.get(sha256)) };
}

describe('captureCell', () => {
  it('keeps images as artifacts, and in the journal what stands for them', async () => {
    const data = { 'image/png': png.toString('base64'), 'text/plain': '<Figure>' };
    const shown: Output = { output_type: 'display_data', data, metadata: {} };
    const { result, artifacts, contents } = await capture({ outputs: [shown] });
    expect(contents).toEqual([png]);
    expect(artifacts[0]).toMatchObject({ name: 'cell-7-output-1.png', mediaType: 'image/png', bytes: 8 });
    expect(result.outputs[0]).toMatchObject({
      data: { 'image/png': { artifact: artifacts[0]?.sha256 }, 'text/plain': '<Figure>' },
    });
  });

  it('cuts long texts to head and tail and keeps the whole', async () => {
    const long = `start ${'x'.repeat(40_000)} end`;
    const html = `<table>${'y'.repeat(40_000)}</table>`;
    const { result, artifacts, contents } = await capture({
      outputs: [
        { output_type: 'stream', name: 'stdout', text: long },
        { output_type: 'display_data', data: { 'text/html': html, 'text/plain': 'short' }, metadata: {} },
      ],
    });
    expect(JSON.stringify(result).length).toBeLessThan(20_000);
    expect(JSON.stringify(result)).toContain('start x');
    expect(JSON.stringify(result)).toContain('x end');
    expect(artifacts.map(({ name }) => name)).toEqual(['cell-7-output-2.html', 'cell-7-stdout.txt']);
    expect(contents.map(String)).toEqual([html, long]);
  });

  it('keeps what spilled of a stream that the kernel cut', async () => {
    const { artifacts, contents } = await capture({ stdout: Buffer.from('all of it') });
    expect(contents.map(String)).toEqual(['all of it']);
    expect(artifacts[0]?.source).toEqual({ kind: 'stream', name: 'stdout' });
  });

  it('keeps files that were made or changed, and says which are too large', async () => {
    const file = (path: string, bytes: number) => ({ path, bytes, sha256: path });
    const { artifacts, contents, warnings } = await capture({
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
    expect(warnings).toEqual(['huge.bin is too large to be kept: 1000000000 bytes']);
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
    const { result, warnings } = await capture({ outputs: [error, ...outputs] });
    expect(result.outputs).toHaveLength(300);
    expect(warnings[0]).toContain('4701 outputs');
    expect(JSON.stringify(result).length).toBeLessThan(400_000);
  });
});
