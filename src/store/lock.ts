import { randomBytes } from 'node:crypto';
import {
  closeSync,
  ftruncateSync,
  linkSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import path from 'node:path';
import { AssayError } from '../core/index.ts';
import { fileMode } from './atomic.ts';
import { errnoOf } from './disk-error.ts';
import { livenessOf, ownIdentity, type ProcessIdentity, processIdentitySchema } from './process-identity.ts';

/**
 * One writer at a time, over files `lock.1`, `lock.2`, ... of a folder. The highest number holds; a new holder
 * may only take the next number, exclusively, and only when the highest is released or its process dead. Numbers
 * never fall, so two processes that find the same dead lock cannot both take it over: a lock that is deleted and
 * made again would allow just that.
 */
export type HeldLock = { generation: number };

export type LockState =
  | { kind: 'free'; generation: number }
  | { kind: 'held'; generation: number; holder: ProcessIdentity | null; sure: boolean };

const RELEASED = 'released';
const ATTEMPTS = 20;

/** Takes the lock. Throws an AssayError `locked` naming the process that has it. */
export function acquireLock(dir: string): HeldLock {
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const state = lockState(dir);
    if (state.kind === 'held') throw lockedError(dir, state);
    const generation = state.generation + 1;
    if (!createExclusively(dir, generation)) continue;
    // Someone with a newer view may have gone past while this process still read the old one.
    if (highestGeneration(dir) > generation) {
      rmSync(lockFile(dir, generation), { force: true });
      continue;
    }
    removeBelow(dir, generation);
    return { generation };
  }
  throw lockedError(dir, { kind: 'held', generation: 0, holder: null, sure: true });
}

/** Gives the lock back. Needs no space on the disk. */
export function releaseLock(dir: string, { generation }: HeldLock): void {
  const fd = openSync(lockFile(dir, generation), 'r+');
  try {
    writeSync(fd, RELEASED, 0);
    ftruncateSync(fd, RELEASED.length);
  } finally {
    closeSync(fd);
  }
}

/** Who holds the lock of a run folder. A lock of a dead process, or one that names none, is free. */
export function lockState(dir: string): LockState {
  const generation = highestGeneration(dir);
  const content = generation === 0 ? RELEASED : readLock(dir, generation);
  if (content === null) return lockState(dir);
  if (content === RELEASED) return { kind: 'free', generation };
  const holder = parseHolder(content);
  if (holder === null) return { kind: 'free', generation };
  const liveness = livenessOf(holder);
  return liveness === 'dead'
    ? { kind: 'free', generation }
    : { kind: 'held', generation, holder, sure: liveness === 'alive' };
}

const lockFile = (dir: string, generation: number): string => path.join(dir, `lock.${generation}`);

function highestGeneration(dir: string): number {
  return Math.max(0, ...generations(dir));
}

function generations(dir: string): number[] {
  return readdirSync(dir)
    .map((name) => /^lock\.(\d+)$/.exec(name)?.[1])
    .filter((digits) => digits !== undefined)
    .map(Number);
}

/** Null when a newer holder has just removed it. */
function readLock(dir: string, generation: number): string | null {
  try {
    return readFileSync(lockFile(dir, generation), 'utf8');
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return null;
    throw error;
  }
}

function parseHolder(content: string): ProcessIdentity | null {
  try {
    return processIdentitySchema.parse(JSON.parse(content));
  } catch {
    return null;
  }
}

/** The file appears with its content in one step (a hard link), so that nobody ever reads half a lock. */
function createExclusively(dir: string, generation: number): boolean {
  const temporary = path.join(dir, `.lock.${randomBytes(6).toString('hex')}.tmp`);
  try {
    writeFileSync(temporary, JSON.stringify(ownIdentity()), { flag: 'wx', mode: fileMode });
    linkSync(temporary, lockFile(dir, generation));
    return true;
  } catch (error) {
    if (errnoOf(error) === 'EEXIST') return false;
    throw error;
  } finally {
    rmSync(temporary, { force: true });
  }
}

function removeBelow(dir: string, generation: number): void {
  for (const old of generations(dir)) {
    if (old < generation) rmSync(lockFile(dir, old), { force: true });
  }
}

function lockedError(dir: string, { holder, sure }: Extract<LockState, { kind: 'held' }>): AssayError {
  const who = holder === null ? 'another process' : `process ${holder.pid} on ${holder.host}`;
  return new AssayError({
    code: 'locked',
    message: `The run ${path.basename(dir)} is in use by ${who}`,
    because: sure ? 'that process is alive' : 'that process cannot be seen from here, so it may be alive',
    fix: sure
      ? 'Wait for it to end, or stop it.'
      : `If you are sure that it is gone, delete the lock.* files in ${dir}.`,
  });
}
