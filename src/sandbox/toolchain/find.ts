import * as fs from 'node:fs';
import { isAbsolute, join, resolve } from 'node:path';

export type Environment = Readonly<Record<string, string | undefined>>;

/** Where a program is looked up from. Only files are read: nothing of the project is executed. */
export type Lookup = {
  /** The project's folder, which the caller mounts itself. */
  cwd: string;
  env: Environment;
  home: string;
};

/** An executable file on the host. */
export type Found = {
  /** As found: symbolic links in it are not resolved. */
  file: string;
  /** With every symbolic link resolved. */
  real: string;
  /** The interpreter line of a script, split; null for a binary. */
  shebang: string[] | null;
};

/** The executable a shell would start for `program`; `skip` leaves out folders of PATH. */
export function find(
  program: string,
  lookup: Lookup,
  skip: (folder: string) => boolean = () => false,
): Found | null {
  if (program.includes('/')) return examine(resolve(lookup.cwd, program));
  for (const entry of (lookup.env.PATH ?? '').split(':')) {
    const folder = isAbsolute(entry) ? entry : resolve(lookup.cwd, entry);
    if (entry === '' || skip(folder)) continue;
    const found = examine(join(folder, program));
    if (found !== null) return found;
  }
  return null;
}

/** null unless `file` is an executable regular file. */
export function examine(file: string): Found | null {
  try {
    const stat = fs.statSync(file);
    if (!stat.isFile()) return null;
    fs.accessSync(file, fs.constants.X_OK);
    return { file, real: fs.realpathSync(file), shebang: readShebang(file) };
  } catch {
    return null;
  }
}

/** Every path on the way from `file` to the real file: the targets of its symbolic links, as they are written. */
export function hops(file: string): string[] {
  const paths = [file];
  for (let path = file; fs.lstatSync(path).isSymbolicLink() && paths.length < maxLinks; ) {
    // A relative target counts from where the link really lies.
    path = resolve(fs.realpathSync(resolve(path, '..')), fs.readlinkSync(path));
    paths.push(path);
  }
  return paths;
}

/** As many as the kernel follows. */
const maxLinks = 40;
/** As much of the first line as the kernel reads. */
const shebangBytes = 256;

function readShebang(file: string): string[] | null {
  const head = readHead(file, shebangBytes);
  const line = /^#!\s*(\S+)[ \t]*([^\n]*)/.exec(head);
  if (line?.[1] === undefined) return null;
  // An interpreter path with blanks, or over the kernel's length, is written as a second line of shell.
  const indirect = line[1] === '/bin/sh' ? /^'''exec' (?:"([^"]+)"|(\S+)) /m.exec(head) : null;
  const direct = indirect?.[1] ?? indirect?.[2];
  return direct === undefined ? [line[1], ...(line[2] ?? '').split(/\s+/).filter(Boolean)] : [direct];
}

function readHead(file: string, bytes: number): string {
  const fd = fs.openSync(file, fs.constants.O_RDONLY | fs.constants.O_NONBLOCK);
  try {
    const buffer = Buffer.alloc(bytes);
    return buffer.toString('latin1', 0, fs.readSync(fd, buffer));
  } finally {
    fs.closeSync(fd);
  }
}
