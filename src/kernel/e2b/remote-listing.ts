import type { Remote } from './remote.ts';

export type Entry = {
  /** Relative to the folder. */
  path: string;
  type: 'file' | 'folder' | 'other';
  bytes: number;
  /** Another one whenever the content may be another. */
  stamp: string;
};

/** How deep below the folder, where the sandbox has no `find`. */
const depth = 64;
const types: Readonly<Record<string, Entry['type']>> = { f: 'file', d: 'folder' };

/**
 * Everything below a folder of the sandbox, links as links. The time of the last change of each inode is part of its
 * stamp, as the code can set every other time.
 */
export async function listRemote(remote: Remote, folder: string): Promise<Entry[]> {
  const found = await find(remote, folder);
  return found ?? listByApi(remote, folder);
}

/** null where the sandbox has no GNU find. */
async function find(remote: Remote, folder: string): Promise<Entry[] | null> {
  const command = `cd ${quoted(folder)} && find . -mindepth 1 -printf '%y %s %C@ %i %P\\0'`;
  const text = await remote.call(async () => {
    try {
      return (await remote.sandbox.commands.run(command, { timeoutMs: listMs, ...remote.asOwner })).stdout;
    } catch (error) {
      // What may not be read, or goes while it is looked at, is told by the exit code; the rest is there.
      if (hasOutput(error)) return error.exitCode === 127 ? null : error.stdout;
      throw error;
    }
  });
  if (text === null) return null;
  return text.split('\0').flatMap((line) => {
    const [, letter = '', bytes = '', changed = '', inode = '', path = ''] =
      /^(\S) (\d+) (\S+) (\d+) (.+)$/s.exec(line) ?? [];
    // A name that is no UTF-8 cannot be asked for.
    if (path === '' || path.includes('\ufffd')) return [];
    return [
      {
        path,
        type: types[letter] ?? 'other',
        bytes: Number(bytes),
        stamp: [bytes, changed, inode].join(' '),
      },
    ];
  });
}

const listMs = 60_000;

/** By what the SDK itself gives: sizes and the times of the last writes. */
async function listByApi(remote: Remote, folder: string): Promise<Entry[]> {
  const entries = await remote.call(() => remote.sandbox.files.list(folder, { depth, ...remote.asOwner }));
  return entries.flatMap(({ path, type, size, modifiedTime, symlinkTarget }) => {
    if (!path.startsWith(`${folder}/`)) return [];
    const isLink = symlinkTarget !== undefined && symlinkTarget !== '';
    return [
      {
        path: path.slice(folder.length + 1),
        type: isLink ? 'other' : type === 'file' ? 'file' : type === 'dir' ? 'folder' : 'other',
        bytes: size,
        stamp: [size, modifiedTime?.getTime()].join(' '),
      } as const,
    ];
  });
}

function hasOutput(error: unknown): error is { stdout: string; exitCode: number } {
  return error instanceof Error && 'stdout' in error && 'exitCode' in error;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
