import { spawnSync } from 'node:child_process';
import { closeSync, constants, mkdirSync, rmSync } from 'node:fs';
import { Socket } from 'node:net';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { AssayError } from '../core/index.ts';
import { openAgain, openNameless } from './nameless.ts';

/**
 * Pipes for standard output and error. Node itself makes pairs of sockets, which no program can open again by the names
 * /dev/stdout and /dev/stderr, as shell scripts do. A pipe is made as a FIFO whose name is removed at once and is used
 * again when its sandbox is gone.
 */
export class PipePool {
  readonly #newFolder: () => string;
  /** Descriptors that only keep a pipe in being: neither its reader nor its writer. */
  #free: number[] = [];

  /** @param options.newFolder path of a folder that does not exist yet, in one that only this user may enter */
  constructor(options: { newFolder: () => string }) {
    this.#newFolder = options.newFolder;
  }

  /** @throws AssayError `environment` where no pipe can be made */
  take(): number {
    if (this.#free.length === 0) this.#free = makePipes(this.#newFolder());
    const pipe = this.#free.pop();
    if (pipe === undefined) throw new Error('no pipe was made');
    return pipe;
  }

  /** For a pipe that nobody holds open any more. */
  giveBack(pipe: number): void {
    this.#free.push(pipe);
  }

  close(): void {
    for (const pipe of this.#free.splice(0)) closeSync(pipe);
  }
}

/** The streams of two commands. */
const batch = ['a', 'b', 'c', 'd'];

/** O_PATH of fcntl.h, which Node does not name. */
const pathOnly = 0o10000000;

function makePipes(folder: string): number[] {
  mkdirSync(folder, { mode: 0o700 });
  try {
    const paths = batch.map((name) => join(folder, name));
    // Writable by all, as the code may have another uid and may open it again.
    const made = spawnSync('mkfifo', ['-m', '622', ...paths], { encoding: 'utf8' });
    if (made.status !== 0) throw cannotMake(made.error?.message ?? made.stderr);
    return paths.map((path) => openNameless(path, pathOnly));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function cannotMake(because: string): AssayError {
  return new AssayError({
    code: 'environment',
    message: 'No pipe for the output of a command can be made',
    because: because.trim(),
    fix: 'Install coreutils (mkfifo) and look whether the disk of the temporary folder is full',
  });
}

/** Both ends of a pipe: `fd` for the command, to be closed here once it has it, and a stream for the runner. */
export function openOutput(pipe: number): { fd: number; stream: Readable } {
  const reader = openAgain(pipe, constants.O_RDONLY | constants.O_NONBLOCK);
  const stream = new Socket({ fd: reader, readable: true, writable: false });
  return { fd: openAgain(pipe, constants.O_WRONLY), stream };
}
