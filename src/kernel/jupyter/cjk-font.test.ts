import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { findCjkFont } from './cjk-font.ts';

/** A font of one face that holds only what tells its name and characters. */
function font(family: string, options: { ideographs: boolean; collection?: boolean }): Buffer {
  const os2 = Buffer.alloc(96);
  os2.writeUInt32BE(options.ideographs ? 1 << 27 : 1, 46);
  const text = Buffer.from(family, 'utf16le').swap16();
  const name = Buffer.alloc(18 + text.length);
  name.writeUInt16BE(1, 2);
  name.writeUInt16BE(18, 4);
  for (const [at, value] of [3, 1, 0x409, 1, text.length, 0].entries()) name.writeUInt16BE(value, 6 + at * 2);
  text.copy(name, 18);
  const start = options.collection ? 16 : 0;
  const directory = Buffer.alloc(start + 12 + 32);
  if (options.collection) {
    directory.write('ttcf', 0);
    directory.writeUInt32BE(start, 12);
  }
  directory.writeUInt16BE(2, start + 4);
  let offset = directory.length;
  for (const [index, [tag, table]] of (
    [
      ['OS/2', os2],
      ['name', name],
    ] as const
  ).entries()) {
    const at = start + 12 + index * 16;
    directory.write(tag, at);
    directory.writeUInt32BE(offset, at + 8);
    directory.writeUInt32BE(table.length, at + 12);
    offset += table.length;
  }
  return Buffer.concat([directory, os2, name, Buffer.alloc(600_000)]);
}

function folderOf(files: Record<string, Buffer>): string {
  const folder = mkdtempSync(join(tmpdir(), 'assay-fonts-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  mkdirSync(join(folder, 'sub'));
  for (const [name, bytes] of Object.entries(files)) writeFileSync(join(folder, name), bytes);
  return folder;
}

describe('findCjkFont', () => {
  it('finds a font by the characters it has, a plain one first, in collections and sub-folders too', () => {
    const folder = folderOf({
      'Latin.ttf': font('Latin', { ideographs: false }),
      'Serif.otf': font('Some Serif', { ideographs: true }),
      'sub/Plain.ttc': font('Plain Sans JP', { ideographs: true, collection: true }),
    });
    expect(findCjkFont([folder])).toBe('Plain Sans JP');
  });

  it('finds none where there is none, and takes no harm from what is no font', () => {
    const folder = folderOf({
      'Latin.ttf': font('Latin', { ideographs: false }),
      'torn.otf': Buffer.alloc(600_000, 0xff),
      'small.ttf': font('Tiny', { ideographs: true }).subarray(0, 200),
    });
    expect(findCjkFont([folder, join(folder, 'missing')])).toBeNull();
  });
});
