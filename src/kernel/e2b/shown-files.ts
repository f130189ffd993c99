import { readdirSync, statSync } from 'node:fs';
import path from 'node:path';

/** A file of this machine and its path below the working folder. */
export type ShownFile = { path: string; source: string };

/** The regular files of what is shown, links not followed. */
export function filesOf({ source, path: shown }: ShownFile): ShownFile[] {
  if (statSync(source).isFile()) return [{ path: shown, source }];
  return readdirSync(source, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => {
      const file = path.join(entry.parentPath, entry.name);
      const below = path.relative(source, file).split(path.sep).join('/');
      return { path: path.posix.join(shown, below), source: file };
    });
}
