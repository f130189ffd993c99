import { describe, expect, it } from 'vitest';
import { fakeKernel } from '../../kernel/index.ts';
import { madeAnalysisSpec } from './made.ts';
import { readForModel } from './read-file.ts';
import { startAnalysis } from './state.ts';

const state = startAnalysis(madeAnalysisSpec());
const readArtifact = async () => Buffer.from('');

describe('readForModel', () => {
  it('reads nothing that is too large to be shown, and says what to do', async () => {
    const { files } = fakeKernel({ replies: [] });
    const kernel = {
      files: {
        ...files,
        stat: async () => [{ path: 'huge.csv', bytes: 3 * 2 ** 30, stamp: '1' }],
        read: () => Promise.reject(new Error('it was read')),
      },
    };
    const text = await readForModel({ path: './huge.csv', from: 1, state, kernel, readArtifact });
    expect(text).toBe('"./huge.csv" is too large to be shown: 3.0 GB. Read a part of it with code.');
  });

  it('shows a file from a line on, a page at a time', async () => {
    const lines = Array.from({ length: 3_000 }, (_, index) => `line ${index + 1}`);
    const kernel = fakeKernel({ replies: [], files: { 'a.txt': lines.join('\n') } });
    const text = await readForModel({ path: 'a.txt', from: 2, state, kernel, readArtifact });
    expect(text).toMatch(/^line 2\nline 3\n.*\n\[lines 2 to \d+ of 3000; go on with from: \d+\]$/s);
    expect(text.length).toBeLessThan(15_000);
  });
});
