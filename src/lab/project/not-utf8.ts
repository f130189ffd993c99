import { isUtf8 } from 'node:buffer';
import * as fs from 'node:fs';
import path from 'node:path';
import type { Snapshot } from '../snapshot/take-snapshot.ts';

const source = /\.(py|pyi|[cm]?[jt]sx?)$/;
const mostNamed = 3;

/** Warns of source files whose bytes are no UTF-8: they run as they are, and no patch can be made to them. */
export function notUtf8({ openFiles, openDir }: Snapshot): string[] {
  const found = openFiles.filter(
    (file) => source.test(file) && !isUtf8(fs.readFileSync(path.join(openDir, file))),
  );
  const named = found
    .slice(0, mostNamed)
    .map((file) => `${file} is not UTF-8: it is run as it is, and left out of what a patch may change`);
  const more = found.length - named.length;
  return more > 0 ? [...named, `${more} more source files are not UTF-8`] : named;
}
