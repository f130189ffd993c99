import * as fs from 'node:fs';
import { join } from 'node:path';

/** Where matplotlib looks that a sandbox shows too. */
const systemFolders = ['/usr/share/fonts', '/usr/local/share/fonts'];

/** A font with thousands of characters is no smaller. */
const minBytes = 500_000;

/**
 * The family name of an installed font for Chinese, Japanese or Korean that matplotlib can use, plain sans-serif ones
 * first; null where there is none. It reads only the first face of a collection, so that is the one looked at.
 */
export function findCjkFont(folders: readonly string[] = systemFolders): string | null {
  const found = folders.flatMap(fontFiles).flatMap((file) => {
    const family = cjkFamily(file);
    return family === null ? [] : [{ family, rank: rankOf(file) }];
  });
  found.sort((a, b) => a.rank - b.rank || (a.family < b.family ? -1 : 1));
  return found[0]?.family ?? null;
}

function rankOf(file: string): number {
  return (
    (/serif|mono|ming|song|kai/i.test(file) ? 2 : 0) + (/bold|black|light|thin|medium/i.test(file) ? 1 : 0)
  );
}

function fontFiles(folder: string): string[] {
  let entries: fs.Dirent[];
  try {
    entries = fs.readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
  return entries.flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return fontFiles(path);
    return /\.(ttf|otf|ttc|otc)$/i.test(entry.name) && isLarge(path) ? [path] : [];
  });
}

function isLarge(file: string): boolean {
  return (fs.statSync(file, { throwIfNoEntry: false })?.size ?? 0) >= minBytes;
}

/** The family name of the first face, where it says that it has CJK ideographs. */
function cjkFamily(file: string): string | null {
  const fd = fs.openSync(file, 'r');
  try {
    const tables = tablesOf(fd);
    const os2 = tables.get('OS/2');
    const name = tables.get('name');
    if (os2 === undefined || name === undefined) return null;
    return hasIdeographs(read(fd, os2)) ? familyOf(read(fd, name)) : null;
  } catch {
    // No font, or one cut short.
    return null;
  } finally {
    fs.closeSync(fd);
  }
}

type Place = { offset: number; length: number };

function read(fd: number, { offset, length }: Place): Buffer {
  const buffer = Buffer.alloc(Math.min(length, 2 ** 20));
  return buffer.subarray(0, fs.readSync(fd, buffer, 0, buffer.length, offset));
}

/** The table directory (OpenType specification, "Organization of an OpenType font"). */
function tablesOf(fd: number): Map<string, Place> {
  const head = read(fd, { offset: 0, length: 16 });
  const start = head.toString('latin1', 0, 4) === 'ttcf' ? head.readUInt32BE(12) : 0;
  const count = read(fd, { offset: start, length: 12 }).readUInt16BE(4);
  const records = read(fd, { offset: start + 12, length: count * 16 });
  const places = Array.from({ length: count }, (_, index): [string, Place] => {
    const at = index * 16;
    const place = { offset: records.readUInt32BE(at + 8), length: records.readUInt32BE(at + 12) };
    return [records.toString('latin1', at, at + 4), place];
  });
  return new Map(places);
}

/** Bit 59 of ulUnicodeRange: CJK Unified Ideographs. */
function hasIdeographs(os2: Buffer): boolean {
  return (os2.readUInt32BE(46) & (1 << 27)) !== 0;
}

const typographicFamily = 16;
const family = 1;
const english = 0x409;

/** The English name, as FreeType gives it to matplotlib. */
function familyOf(table: Buffer): string | null {
  const count = table.readUInt16BE(2);
  const strings = table.readUInt16BE(4);
  const names = new Map<number, string>();
  for (let at = 6; at < 6 + count * 12; at += 12) {
    const isWindows = table.readUInt16BE(at) === 3 && table.readUInt16BE(at + 4) === english;
    const start = strings + table.readUInt16BE(at + 10);
    const text = table.subarray(start, start + table.readUInt16BE(at + 8));
    if (isWindows) names.set(table.readUInt16BE(at + 6), new TextDecoder('utf-16be').decode(text));
  }
  return names.get(typographicFamily) ?? names.get(family) ?? null;
}
