import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openStateFolder } from './state-folder.ts';

const uid = process.getuid?.() ?? 0;
let runDir: string;
let tmpDir: string;
beforeEach(() => {
  runDir = mkdtempSync(join(tmpdir(), 'assay-run-'));
  tmpDir = mkdtempSync(join(tmpdir(), 'assay-tmp-'));
});
afterEach(() => {
  for (const folder of [runDir, tmpDir]) rmSync(folder, { recursive: true });
});

const open = () => openStateFolder({ uid, runDir, tmpDir });

describe('openStateFolder', () => {
  it('makes folders that only this user may enter, and finds them again', () => {
    const state = open();
    expect(open()).toEqual(state);
    expect(state.staging).toBe(join(tmpDir, `assay-${uid}/staging`));
    expect(state.slots).toBe(uid === 0 ? join(runDir, 'assay/slots') : join(tmpDir, `assay-${uid}/slots`));
    for (const folder of Object.values(state)) expect(statSync(folder).mode & 0o777).toBe(0o700);
  });

  it('makes them anew where a cleaner has removed them', () => {
    const state = open();
    rmSync(join(tmpDir, `assay-${uid}`), { recursive: true });
    expect(statSync(open().staging).isDirectory()).toBe(true);
    expect(state).toEqual(open());
  });

  it('uses no folder that somebody else could have laid there', () => {
    mkdirSync(join(tmpDir, `assay-${uid}`));
    chmodSync(join(tmpDir, `assay-${uid}`), 0o777);
    expect(open).toThrow(/not a folder of this user alone/);
  });

  it('follows no link', () => {
    mkdirSync(join(tmpDir, 'elsewhere'), { mode: 0o700 });
    symlinkSync('elsewhere', join(tmpDir, `assay-${uid}`));
    expect(open).toThrow(/not a folder of this user alone/);
  });
});
