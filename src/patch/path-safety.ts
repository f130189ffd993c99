/** Longest name and path that common file systems take, in bytes. */
const limits = { name: 255, path: 4096 };

/**
 * Why `path` is no path a patch may name, or null. Pure: it looks at the text only. Whatever a case-insensitive,
 * a Unicode-normalising or a Windows file system would read as another path is refused everywhere, so that a
 * patch means the same file on every machine.
 */
export function pathProblem(path: string): string | null {
  if (path === '') return 'the path is empty';
  if (!path.isWellFormed()) return 'the path is not valid Unicode';
  if (/[\u0000-\u001F\u007F]/.test(path)) return 'the path holds a control character';
  if (path.includes('\\')) return 'the path holds a backslash; separate folders with /';
  if (path.startsWith('/') || path.startsWith('~/')) return 'the path must be relative to the project root';
  if (Buffer.byteLength(path) > limits.path) return `the path is longer than ${limits.path} bytes`;
  for (const segment of path.split('/')) {
    const problem = segmentProblem(segment);
    if (problem !== null) return problem;
  }
  return null;
}

function segmentProblem(segment: string): string | null {
  if (segment === '') return 'the path has an empty segment (a doubled or final /)';
  if (/^[A-Za-z]:/.test(segment)) return 'a segment of the path starts with a drive letter';
  if (segment === '.') return 'the path has a "." segment; leave it out';
  if (segment === '..') return 'the path leaves its folder with ".."';
  if (/[. ]$/.test(segment)) return 'a segment of the path ends with a dot or a space';
  if (Buffer.byteLength(segment) > limits.name) return `a segment is longer than ${limits.name} bytes`;
  if (isGitFolder(segment)) return 'the path leads into .git';
  return null;
}

/** `.git` as any file system might spell it: case, ignorable code points, the 8.3 short name, an NTFS stream. */
function isGitFolder(segment: string): boolean {
  const seen = foldPath(segment.replace(/\p{Default_Ignorable_Code_Point}/gu, ''));
  return /^(\.git|git~\d+)(:.*)?$/.test(seen);
}

/** Equal for paths that a case-insensitive or Unicode-normalising file system takes for the same one. */
export function foldPath(path: string): string {
  return path.normalize('NFC').toUpperCase().toLowerCase().normalize('NFC');
}

/** `a/b/c` -> `a`, `a/b`. */
export function foldersOf(path: string): string[] {
  const segments = path.split('/');
  return segments.slice(1).map((_, index) => segments.slice(0, index + 1).join('/'));
}

/** What exists in a project, and how a forgiving file system would read each name. */
export type Spellings = { files: Set<string>; folders: Set<string>; folded: Map<string, string> };

/** Of every existing path, relative to the project and divided by `/`. */
export function spellingsOf(files: Iterable<string>): Spellings {
  const spellings: Spellings = { files: new Set(), folders: new Set(), folded: new Map() };
  for (const path of files) addSpelling(spellings, path);
  return spellings;
}

/** Adds a path and the folders on the way to it, as if it existed. */
export function addSpelling(spellings: Spellings, path: string): void {
  spellings.files.add(path);
  spellings.folded.set(foldPath(path), path);
  for (const folder of foldersOf(path)) {
    spellings.folders.add(folder);
    spellings.folded.set(foldPath(folder), folder);
  }
}

/**
 * The existing path that `path`, or a folder on the way to it, would be mistaken for: the same letters in
 * another case or normal form, a file where a folder is needed, or a folder where the file should be.
 */
export function collisionOf(path: string, spellings: Spellings): string | null {
  for (const folder of foldersOf(path)) {
    if (spellings.folders.has(folder)) continue;
    const found = spellings.folded.get(foldPath(folder));
    if (found !== undefined) return found;
  }
  if (spellings.files.has(path)) return null;
  return spellings.folded.get(foldPath(path)) ?? null;
}
