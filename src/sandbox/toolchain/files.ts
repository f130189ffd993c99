import * as fs from 'node:fs';
import { dirname, join } from 'node:path';

/** The text of a small file; null where it cannot be read. */
export function readText(file: string): string | null {
  try {
    return fs.statSync(file).size > maxTextBytes ? null : fs.readFileSync(file, 'utf8');
  } catch {
    return null;
  }
}

const maxTextBytes = 1024 * 1024;

/** Names in a folder; none where it cannot be read. */
export function entries(folder: string): string[] {
  try {
    return fs.readdirSync(folder);
  } catch {
    return [];
  }
}

/** Links are followed. */
export function isFolder(path: string): boolean {
  return fs.statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

/** The resolved path, or the path itself where nothing is there. */
export function realOr(path: string): string {
  try {
    return fs.realpathSync(path);
  } catch {
    return path;
  }
}

/** `name` in `folder` and each folder above it, nearest first, with its text. */
export function* upward(folder: string, name: string): Generator<{ folder: string; text: string }> {
  for (let at = folder; ; at = dirname(at)) {
    const text = readText(join(at, name));
    if (text !== null) yield { folder: at, text };
    if (at === dirname(at)) return;
  }
}
