import { isBoundary, type ParsedHunk, readHunk } from './parse-hunks.ts';
import { unquotePath } from './quote-path.ts';

/** What a unified diff says of one file. `from` is null for a new file, `to` for a deleted one. */
export type FileDiff = {
  from: string | null;
  to: string | null;
  hunks: ParsedHunk[];
  /** Permission bits of a new file, where the diff gives them. */
  newMode: number | null;
  /** The diff claims to change the file's mode, to copy it, or holds binary data. */
  extra: 'mode' | 'copy' | 'binary' | null;
};

export type ParsedDiff = { files: FileDiff[]; problems: { path: string; message: string }[] };

/** What the header lines of one file gave so far. */
type Header = {
  git: [string, string] | null;
  minus: string | null;
  plus: string | null;
  renameFrom: string | null;
  renameTo: string | null;
  created: boolean;
  deleted: boolean;
  newMode: number | null;
  extra: FileDiff['extra'];
  hunks: ParsedHunk[];
};

/**
 * Reads a unified diff, git's or plain, with or without text and code fences around it. Never throws; what cannot
 * be understood is a problem, and nothing is passed over in silence inside a hunk.
 */
export function parseDiff(text: string): ParsedDiff {
  const lines = text.split('\n');
  const files: FileDiff[] = [];
  const problems: ParsedDiff['problems'] = [];
  let current: Header | null = null;
  const finish = () => {
    if (current === null) return;
    const file = fileOf(current);
    if (typeof file === 'string') problems.push({ path: current.plus ?? current.minus ?? '', message: file });
    else files.push(file);
    current = null;
  };
  for (let index = 0; index < lines.length; ) {
    const line = lines[index] ?? '';
    if (line.startsWith('diff --git ')) {
      finish();
      current = { ...emptyHeader(), git: gitNames(line.slice('diff --git '.length)) };
    } else if (line.startsWith('--- ') && isBoundary(lines, index)) {
      if (current === null || current.minus !== null) {
        finish();
        current = emptyHeader();
      }
      current.minus = nameIn(line.slice(4));
      current.plus = nameIn((lines[index + 1] ?? '').slice(4));
      index += 1;
    } else if (line.startsWith('@@')) {
      const read = readHunk(lines, index);
      if ('problem' in read) {
        problems.push({ path: current?.plus ?? '', message: read.problem });
        return { files, problems };
      }
      if (current === null) {
        problems.push({ path: '', message: 'a hunk stands before any file name (--- and +++ lines)' });
        return { files, problems };
      }
      current.hunks.push(read.hunk);
      index = read.next;
      continue;
    } else if (current !== null) readExtended(current, line);
    index += 1;
  }
  finish();
  return { files, problems };
}

function emptyHeader(): Header {
  return {
    git: null,
    minus: null,
    plus: null,
    renameFrom: null,
    renameTo: null,
    created: false,
    deleted: false,
    newMode: null,
    extra: null,
    hunks: [],
  };
}

function readExtended(header: Header, line: string): void {
  const after = (prefix: string) => (line.startsWith(prefix) ? line.slice(prefix.length).trimEnd() : null);
  header.renameFrom ??= nameOrNull(after('rename from '));
  header.renameTo ??= nameOrNull(after('rename to '));
  const newMode = after('new file mode ');
  if (newMode !== null) {
    header.created = true;
    header.newMode = Number.parseInt(newMode, 8) & 0o777;
  }
  if (after('deleted file mode ') !== null) header.deleted = true;
  if (after('old mode ') !== null) header.extra = 'mode';
  if (after('copy from ') !== null) header.extra = 'copy';
  if (line.startsWith('GIT binary patch') || /^Binary files .* differ/.test(line)) header.extra = 'binary';
}

function nameOrNull(quoted: string | null): string | null {
  return quoted === null ? null : unquotePath(quoted);
}

/** The name on a `---` or `+++` line: quoted, or up to a tab before a time stamp. */
function nameIn(rest: string): string {
  const bare = rest.replace(/\r$/, '');
  if (bare.startsWith('"')) return unquotePath(bare.slice(0, bare.lastIndexOf('"') + 1)) ?? bare;
  return (bare.split('\t')[0] ?? '').trimEnd();
}

/** `a/X b/Y` of a `diff --git` line, where it can be told apart: both quoted, or both the same name. */
function gitNames(rest: string): [string, string] | null {
  const bare = rest.trimEnd();
  const quoted = /^("(?:[^"\\]|\\.)*"|\S+) ("(?:[^"\\]|\\.)*"|\S+)$/.exec(bare);
  const half = (bare.length - 1) / 2;
  const names: [string, string] =
    quoted === null ? [bare.slice(0, half), bare.slice(half + 1)] : [quoted[1] ?? '', quoted[2] ?? ''];
  const [from, to] = names.map((name) => unquotePath(name)?.replace(/^[^/]*\//, '') ?? null);
  return from === undefined || to === undefined || from === null || to === null ? null : [from, to];
}

/** The file a header speaks of, or what is wrong with it. */
function fileOf(header: Header): FileDiff | string {
  const { hunks, newMode, extra } = header;
  const prefixed = header.git !== null || (isPrefixed(header.minus, 'a/') && isPrefixed(header.plus, 'b/'));
  const strip = (name: string) => (prefixed ? name.replace(/^[^/]*\//, '') : name).replace(/^\.\//, '');
  const side = (name: string | null, known: string | undefined) =>
    name === '/dev/null' ? null : name === null ? (known ?? null) : strip(name);
  let from = header.renameFrom ?? side(header.minus, header.git?.[0]);
  let to = header.renameTo ?? side(header.plus, header.git?.[1]);
  if (header.created) from = null;
  if (header.deleted) to = null;
  if (from === null && to === null) return 'the file has no name that can be read';
  if (from !== null && to !== null && from !== to && header.renameFrom === null) {
    return `it names ${from} and ${to}, but says no "rename from" and "rename to"`;
  }
  return { from, to, hunks, newMode, extra };
}

function isPrefixed(name: string | null, prefix: string): boolean {
  return name === '/dev/null' || (name?.startsWith(prefix) ?? false);
}
