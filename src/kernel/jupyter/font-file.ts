import * as fs from 'node:fs';

/** What a font file says of itself. */
export type FontFile = {
  /** The English family name, as FreeType gives it to matplotlib. */
  family: string;
  /** Whether it has a picture for a character. */
  has: (codePoint: number) => boolean;
};

/**
 * Reads the first face of a font or a collection of fonts (OpenType specification, tables `name` and `cmap`); null for
 * what is no font, or one cut short.
 */
export function readFontFile(file: string): FontFile | null {
  const fd = fs.openSync(file, 'r');
  try {
    const tables = tablesOf(fd);
    const [name, cmap] = [tables.get('name'), tables.get('cmap')];
    if (name === undefined || cmap === undefined) return null;
    const family = familyOf(read(fd, name));
    return family === null ? null : { family, has: charactersOf(read(fd, cmap)) };
  } catch {
    return null;
  } finally {
    fs.closeSync(fd);
  }
}

type Place = { offset: number; length: number };

/** More than any of the tables that are read here has. */
const maxTableBytes = 4 * 2 ** 20;

function read(fd: number, { offset, length }: Place): Buffer {
  const buffer = Buffer.alloc(Math.min(length, maxTableBytes));
  return buffer.subarray(0, fs.readSync(fd, buffer, 0, buffer.length, offset));
}

/** The table directory ("Organization of an OpenType font"). */
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

const typographicFamily = 16;
const family = 1;
const english = 0x409;

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

/** By the Unicode subtables of formats 4 and 12, the ones that fonts for these characters have. */
function charactersOf(cmap: Buffer): FontFile['has'] {
  const subtables = Array.from({ length: cmap.readUInt16BE(2) }, (_, index) => {
    const record = 4 + index * 8;
    const [platform, encoding] = [cmap.readUInt16BE(record), cmap.readUInt16BE(record + 2)];
    const isUnicode = platform === 0 || (platform === 3 && (encoding === 1 || encoding === 10));
    return isUnicode ? [cmap.subarray(cmap.readUInt32BE(record + 4))] : [];
  }).flat();
  return (codePoint) =>
    subtables.some((subtable) => {
      switch (subtable.readUInt16BE(0)) {
        case 4:
          return isInSegments(subtable, codePoint);
        case 12:
          return isInGroups(subtable, codePoint);
        default:
          return false;
      }
    });
}

/** Format 4, "Segment mapping to delta values". */
function isInSegments(table: Buffer, codePoint: number): boolean {
  const bytes = table.readUInt16BE(6);
  for (let segment = 0; segment < bytes; segment += 2) {
    if (table.readUInt16BE(14 + segment) < codePoint) continue;
    const start = table.readUInt16BE(16 + bytes + segment);
    if (start > codePoint) return false;
    const delta = table.readUInt16BE(16 + 2 * bytes + segment);
    const place = 16 + 3 * bytes + segment;
    const offset = table.readUInt16BE(place);
    if (offset === 0) return ((codePoint + delta) & 0xffff) !== 0;
    return table.readUInt16BE(place + offset + 2 * (codePoint - start)) !== 0;
  }
  return false;
}

/** Format 12, "Segmented coverage". */
function isInGroups(table: Buffer, codePoint: number): boolean {
  const count = table.readUInt32BE(12);
  for (let group = 0; group < count; group++) {
    const at = 16 + group * 12;
    if (table.readUInt32BE(at + 4) >= codePoint) return table.readUInt32BE(at) <= codePoint;
  }
  return false;
}
