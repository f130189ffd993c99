import * as fs from 'node:fs';
import { join } from 'node:path';
import { readFontFile } from './font-file.ts';

/** A font with thousands of characters is no smaller. */
const minBytes = 500_000;

/** One of each script: Chinese, simplified and traditional, Japanese, Korean. That a font says it has them is no proof. */
const samples = ['中', '这', '這', 'か', '한'].map((character) => character.codePointAt(0) ?? 0);

/**
 * The family names of the fewest installed fonts that show all of Chinese, Japanese and Korean that can be shown with
 * what is installed, plain sans-serif ones before others; none where there is none. matplotlib reads only the first
 * face of a collection, so that is the one looked at.
 */
export function findCjkFonts(folders: readonly string[]): string[] {
  const found = folders.flatMap(fontFiles).flatMap((file) => {
    const font = readFontFile(file);
    if (font === null) return [];
    const shown = new Set(samples.filter(font.has));
    return shown.size === 0 ? [] : [{ family: font.family, shown, rank: rankOf(file) }];
  });
  found.sort((a, b) => a.rank - b.rank || (a.family < b.family ? -1 : 1));
  const chosen: string[] = [];
  for (let missing = samples; ; ) {
    const gain = ({ shown }: (typeof found)[number]) => missing.filter((point) => shown.has(point)).length;
    const best = found.reduce<(typeof found)[number] | null>(
      (best, font) => (gain(font) > (best === null ? 0 : gain(best)) ? font : best),
      null,
    );
    if (best === null) return chosen;
    chosen.push(best.family);
    missing = missing.filter((point) => !best.shown.has(point));
  }
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
