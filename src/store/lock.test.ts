import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AssayError } from '../core/index.ts';
import { acquireLock, lockState, releaseLock } from './lock.ts';
import { livenessOf, ownIdentity } from './process-identity.ts';

let dir: string;
const children: ChildProcess[] = [];
beforeEach(() => {
  dir = mkdtempSync(path.join(tmpdir(), 'assay-lock-'));
});
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  rmSync(dir, { recursive: true, force: true });
});

/** A process that tries for a folder's lock when asked, answers `held` or `locked`, and keeps what it gets till death. */
function contender() {
  const script = path.join(import.meta.dirname, 'lock.child.ts');
  const child = spawn(process.execPath, [script], { stdio: ['pipe', 'pipe', 'inherit'] });
  children.push(child);
  const contend = async (folder: string): Promise<string> => {
    child.stdin.write(`${folder}\n`);
    const [data] = await once(child.stdout, 'data');
    return String(data).trim();
  };
  return { child, contend };
}

function refusal(): AssayError {
  try {
    acquireLock(dir);
  } catch (error) {
    if (AssayError.is(error)) return error;
    throw error;
  }
  throw new Error('the lock was given');
}

describe('acquireLock', () => {
  it('holds once, and again after release', () => {
    const lock = acquireLock(dir);
    expect(refusal()).toMatchObject({
      code: 'locked',
      message: expect.stringContaining(`process ${process.pid}`),
    });
    releaseLock(dir, lock);
    expect(lockState(dir).kind).toBe('free');
    releaseLock(dir, acquireLock(dir));
    expect(readdirSync(dir)).toEqual(['lock.2']);
  });

  it('is refused while another process lives, and taken over once it is dead', async () => {
    const { child, contend } = contender();
    expect(await contend(dir)).toBe('held');
    expect(refusal()).toMatchObject({
      code: 'locked',
      message: expect.stringContaining(`process ${child.pid}`),
    });
    child.kill('SIGKILL');
    await once(child, 'exit');
    const lock = acquireLock(dir);
    expect(lockState(dir)).toMatchObject({ kind: 'held', holder: { pid: process.pid } });
    releaseLock(dir, lock);
  });

  it('goes to exactly one of many that find the same dead lock', async () => {
    const contenders = Array.from({ length: 8 }, () => contender());
    const dead = { ...ownIdentity(), pid: 4_194_303, startTime: '1' };
    for (let round = 0; round < 40; round += 1) {
      const folder = path.join(dir, `round-${round}`);
      mkdirSync(folder);
      writeFileSync(path.join(folder, `lock.${round + 1}`), JSON.stringify(dead));
      const answers = await Promise.all(contenders.map(({ contend }) => contend(folder)));
      expect(answers.toSorted()).toEqual(['held', ...Array(7).fill('locked')]);
    }
  });

  it('never gives the lock to a process that read an old state of it', () => {
    // What a slow process sees: generation 1, dead. Meanwhile 2 was taken and released, and 3 is held.
    const held = { ...ownIdentity() };
    writeFileSync(path.join(dir, 'lock.3'), JSON.stringify(held));
    expect(refusal().code).toBe('locked');
    expect(readdirSync(dir)).toEqual(['lock.3']);
  });

  it.each([
    ['a pid that was given to another process', { startTime: '1' }, 'free'],
    ['a process of an earlier boot', { bootId: 'another-boot' }, 'free'],
    ['a process on another machine', { host: 'elsewhere', bootId: 'x' }, 'held'],
    ['a process in another container', { pidNamespace: 'pid:[1]' }, 'held'],
  ])('judges %s', (_, other, kind) => {
    writeFileSync(path.join(dir, 'lock.1'), JSON.stringify({ ...ownIdentity(), ...other }));
    expect(lockState(dir).kind).toBe(kind);
    if (kind === 'held') expect(refusal().fix).toContain('delete the lock.* files');
  });

  it('takes a lock that a power cut left empty or cut', () => {
    for (const content of ['', '{"pid":1', '\0\0\0']) {
      writeFileSync(path.join(dir, 'lock.1'), content);
      expect(lockState(dir).kind).toBe('free');
    }
  });

  it('leaves only its own file behind', () => {
    writeFileSync(path.join(dir, 'lock.1'), 'released');
    acquireLock(dir);
    expect(readdirSync(dir)).toEqual(['lock.2']);
    expect(JSON.parse(readFileSync(path.join(dir, 'lock.2'), 'utf8'))).toMatchObject({ pid: process.pid });
  });
});

describe('livenessOf', () => {
  it('takes a process that only waits to be reaped for dead', async () => {
    // Once the shell is a sleep itself, it reaps nobody.
    const shell = spawn('sh', ['-c', 'sleep 300 & echo $!; exec sleep 60'], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    children.push(shell);
    const [data] = await once(shell.stdout, 'data');
    const pid = Number(String(data));
    const stat = (of: number | undefined) => readFileSync(`/proc/${of}/stat`, 'utf8');
    const until = async (holds: () => boolean) => {
      while (!holds()) await new Promise((resolve) => setTimeout(resolve, 5));
    };
    await until(() => stat(shell.pid).includes('(sleep)'));
    process.kill(pid, 'SIGKILL');
    await until(() => stat(pid).includes(') Z'));
    expect(livenessOf({ ...ownIdentity(), pid })).toBe('dead');
  });

  it('knows itself', () => {
    expect(livenessOf(ownIdentity())).toBe('alive');
  });
});
