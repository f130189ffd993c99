import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { hashOf } from '../patch/index.ts';
import { changedFiles } from './changed-files.ts';

const dir = mkdtempSync(path.join(os.tmpdir(), 'assay-changed-'));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

describe('changedFiles', () => {
  it('names what differs and what is gone, and no new file', async () => {
    const files = {
      'a.py': hashOf(Buffer.from('a')),
      'b.py': hashOf(Buffer.from('b')),
      'c.py': hashOf(Buffer.from('c')),
    };
    writeFileSync(path.join(dir, 'a.py'), 'a');
    writeFileSync(path.join(dir, 'b.py'), 'other');
    writeFileSync(path.join(dir, 'new.py'), '');
    expect(await changedFiles({ dir, files })).toEqual(['b.py', 'c.py']);
  });
});
