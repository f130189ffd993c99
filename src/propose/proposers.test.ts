import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { AssayError } from '../core/index.ts';
import { createProposer, formatHeader, proposers } from './index.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'assay-proposers-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('createProposer', () => {
  it('finds a replay relative to the working folder and keeps the id as given', () => {
    writeFileSync(path.join(folder, 'fix.jsonl'), formatHeader({ by: 'hand-written' }));
    expect(createProposer('replay:fix.jsonl', { cwd: folder }).id).toBe('replay:fix.jsonl');
  });

  it.each(['', 'magic', 'Replay:x', '__proto__', 'constructor'])("lists what exists for '%s'", (id) => {
    const act = () => createProposer(id, { cwd: folder });
    expect(act).toThrow(AssayError);
    try {
      act();
    } catch (error) {
      expect(error).toMatchObject({ code: 'usage' });
      for (const { form } of proposers) expect((error as AssayError).fix).toContain(form);
    }
  });
});
