import { describe, expect, it } from 'vitest';
import { fakeKernel } from './index.ts';

describe('fakeKernel', () => {
  it('answers in order, counts, and keeps the files a reply makes', async () => {
    const kernel = fakeKernel({
      replies: [
        {
          outputs: [{ output_type: 'stream', name: 'stdout', text: '1\n' }],
          files: { 'out/a.csv': 'x', 'in.csv': null },
        },
        { end: { status: 'error', ename: 'NameError', evalue: 'b' } },
      ],
      files: { 'in.csv': 'y' },
    });
    const seen: unknown[] = [];
    const first = await kernel.execute('print(1)', { onOutput: (output) => seen.push(output) });
    expect(first).toMatchObject({ end: { status: 'ok' }, executionCount: 1 });
    expect(seen).toEqual(first.outputs);
    expect((await kernel.execute('b')).end).toEqual({ status: 'error', ename: 'NameError', evalue: 'b' });
    expect((await kernel.execute('c')).end.status).toBe('unavailable');
    expect((await kernel.files.list()).map(({ path, bytes }) => [path, bytes])).toEqual([['out/a.csv', 1]]);
    expect(kernel.executed).toEqual(['print(1)', 'b', 'c']);
  });

  it('holds a cell until it is interrupted, by hand or by a signal', async () => {
    const kernel = fakeKernel({ replies: () => ({ until: new Promise(() => {}) }) });
    const cell = kernel.execute('while True: pass');
    await Promise.resolve().then(() => new Promise(setImmediate));
    await kernel.interrupt();
    expect((await cell).end).toEqual({ status: 'interrupted', stateLost: false });
    const abort = new AbortController();
    const other = kernel.execute('while True: pass', { signal: abort.signal });
    abort.abort();
    expect((await other).end).toEqual({ status: 'interrupted', stateLost: false });
    await kernel.close();
    expect((await kernel.execute('1')).end.status).toBe('unavailable');
  });
});
