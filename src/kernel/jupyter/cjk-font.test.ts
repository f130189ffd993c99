import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { findCjkFonts } from './cjk-font.ts';

/** A `cmap` of one subtable. */
function cmapOf(format: 4 | 12, characters: string): Buffer {
  const points = [...characters].map((one) => one.codePointAt(0) ?? 0).toSorted((a, b) => a - b);
  const subtable = format === 4 ? segments(points) : groups(points);
  const head = Buffer.alloc(12);
  for (const [at, value] of [0, 1, 3, format === 4 ? 1 : 10].entries()) head.writeUInt16BE(value, at * 2);
  head.writeUInt32BE(12, 8);
  return Buffer.concat([head, subtable]);
}

function groups(points: readonly number[]): Buffer {
  const table = Buffer.alloc(16 + points.length * 12);
  table.writeUInt16BE(12, 0);
  table.writeUInt32BE(points.length, 12);
  for (const [index, point] of points.entries())
    for (const [field, value] of [point, point, index + 1].entries())
      table.writeUInt32BE(value, 16 + index * 12 + field * 4);
  return table;
}

/** Every second segment by its delta, the others by the list of glyphs; the last one is the one that ends each table. */
function segments(points: readonly number[]): Buffer {
  const all = [...points, 0xffff];
  const bytes = all.length * 2;
  const table = Buffer.alloc(16 + 4 * bytes + bytes);
  table.writeUInt16BE(4, 0);
  table.writeUInt16BE(bytes, 6);
  for (const [index, point] of all.entries()) {
    const at = index * 2;
    const isListed = index % 2 === 1 && point !== 0xffff;
    table.writeUInt16BE(point, 14 + at);
    table.writeUInt16BE(point, 16 + bytes + at);
    table.writeUInt16BE(
      isListed ? 0 : (0x10000 + (point === 0xffff ? 0 : index + 1) - point) & 0xffff,
      16 + 2 * bytes + at,
    );
    table.writeUInt16BE(isListed ? bytes : 0, 16 + 3 * bytes + at);
    if (isListed) table.writeUInt16BE(index + 1, 16 + 4 * bytes + at);
  }
  return table;
}

function nameOf(family: string): Buffer {
  const text = Buffer.from(family, 'utf16le').swap16();
  const name = Buffer.alloc(18 + text.length);
  name.writeUInt16BE(1, 2);
  name.writeUInt16BE(18, 4);
  for (const [at, value] of [3, 1, 0x409, 1, text.length, 0].entries()) name.writeUInt16BE(value, 6 + at * 2);
  text.copy(name, 18);
  return name;
}

/** A font of one face that holds only what tells its name and characters. */
function font(
  family: string,
  characters: string,
  options: { format?: 4 | 12; collection?: boolean } = {},
): Buffer {
  const tables = [
    ['cmap', cmapOf(options.format ?? 12, characters)],
    ['name', nameOf(family)],
  ] as const;
  const start = options.collection ? 16 : 0;
  const directory = Buffer.alloc(start + 12 + tables.length * 16);
  if (options.collection) {
    directory.write('ttcf', 0);
    directory.writeUInt32BE(start, 12);
  }
  directory.writeUInt16BE(tables.length, start + 4);
  let offset = directory.length;
  for (const [index, [tag, table]] of tables.entries()) {
    const at = start + 12 + index * 16;
    directory.write(tag, at);
    directory.writeUInt32BE(offset, at + 8);
    directory.writeUInt32BE(table.length, at + 12);
    offset += table.length;
  }
  return Buffer.concat([directory, ...tables.map(([, table]) => table), Buffer.alloc(600_000)]);
}

function folderOf(files: Record<string, Buffer>): string {
  const folder = mkdtempSync(join(tmpdir(), 'assay-fonts-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  mkdirSync(join(folder, 'sub'));
  for (const [name, bytes] of Object.entries(files)) writeFileSync(join(folder, name), bytes);
  return folder;
}

describe('findCjkFonts', () => {
  it.each([4, 12] as const)(
    'finds a font by the characters it has (format %d), a plain one first, in collections and sub-folders too',
    (format) => {
      const folder = folderOf({
        'Latin.ttf': font('Latin', 'abcé', { format }),
        'Serif.otf': font('Some Serif', 'a中这這か한', { format }),
        'sub/Plain.ttc': font('Plain Sans JP', 'a中这這か한', { format, collection: true }),
      });
      expect(findCjkFonts([folder])).toEqual(['Plain Sans JP']);
    },
  );

  it('takes several where none has all', () => {
    const folder = folderOf({
      'a.ttf': font('Japanese', '中這か'),
      'b.ttf': font('Kana', 'か'),
      'c.ttf': font('Korean', '中한', { format: 4 }),
    });
    expect(findCjkFonts([folder])).toEqual(['Japanese', 'Korean']);
  });

  it('finds none where there is none, and takes no harm from what is no font', () => {
    const folder = folderOf({
      'Latin.ttf': font('Latin', 'abc'),
      'torn.otf': Buffer.alloc(600_000, 0xff),
      'small.ttf': font('Tiny', '中').subarray(0, 200),
      'cut.ttf': font('Cut', '中').subarray(0, 40),
    });
    expect(findCjkFonts([folder, join(folder, 'missing')])).toEqual([]);
  });
});
