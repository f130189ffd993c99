import { createHash } from 'node:crypto';
import * as fs from 'node:fs';
import path from 'node:path';
import { AssayError, type Outcome } from '../../core/index.ts';
import type { Mount, Toolchain } from '../../sandbox/index.ts';
import { type Snapshot, takeSnapshot } from '../snapshot/take-snapshot.ts';
import { defaultSnapshotLimits, type Walk, walk } from '../snapshot/walk.ts';
import type { Opened } from './opened.ts';
import { snapshotTree } from './source-tree.ts';

export type SetUp = { opened: Opened; warnings: string[] };

/**
 * Runs the user's set-up command once, in a sandbox of its own, on a copy of the project; every later run is laid from
 * what it made of the copy, environments (`.venv`, `node_modules`) included. Protected files stay what the user's
 * folder has; new files under protected names are protected too. The result is kept in `scratch` and used again for
 * the same command on the same files.
 * @throws AssayError `environment` where the command fails or no sandbox can be had; the signal's reason on abort.
 */
export async function setUp(
  opened: Opened,
  options: {
    command: string;
    isSealed: (file: string) => boolean;
    isHeldOut: (file: string) => boolean;
    setupMs?: number;
    onSetUp?: (command: string) => void;
    signal?: AbortSignal;
  },
): Promise<SetUp> {
  const folder = path.join(opened.scratch, 'setup', keyOf(opened, options.command));
  const work = path.join(folder, 'work');
  const done = path.join(folder, 'done');
  if (!fs.existsSync(done)) {
    fs.rmSync(folder, { recursive: true, force: true });
    options.onSetUp?.(options.command);
    layCopy(opened.base, work, options.isHeldOut);
    await runSetUp(opened, work, options);
    fs.writeFileSync(done, '');
  }
  return takeUp(opened, { ...options, folder, work });
}

function keyOf({ base, toolchain }: Opened, command: string): string {
  const files = [...base.hashes].sort(([a], [b]) => (a < b ? -1 : 1));
  return createHash('sha256')
    .update(JSON.stringify([command, toolchain.program, files]))
    .digest('hex')
    .slice(0, 16);
}

/** Writable by whichever user the sandbox runs as. Held-out tests are kept from it, as from a proposer. */
function layCopy(base: Snapshot, work: string, isHeldOut: (file: string) => boolean): void {
  fs.mkdirSync(work, { recursive: true });
  fs.cpSync(base.openDir, work, { recursive: true, verbatimSymlinks: true });
  for (const file of base.sealedFiles.filter((each) => !isHeldOut(each))) {
    fs.mkdirSync(path.dirname(path.join(work, file)), { recursive: true });
    fs.copyFileSync(path.join(base.sealedDir, file), path.join(work, file));
  }
  openToAll(work);
}

/** Not by readdir's own recursion, which follows links. */
function openToAll(folder: string): void {
  fs.chmodSync(folder, 0o777);
  for (const entry of fs.readdirSync(folder, { withFileTypes: true })) {
    const at = path.join(folder, entry.name);
    if (entry.isDirectory()) openToAll(at);
    else if (entry.isFile()) fs.chmodSync(at, fs.statSync(at).mode | 0o666);
  }
}

const mebi = 1024 * 1024;
const mostMs = 900_000;

async function runSetUp(
  { tree, environments, toolchain, sandbox, strict }: Opened,
  work: string,
  { command, setupMs = mostMs, signal }: { command: string; setupMs?: number; signal?: AbortSignal },
): Promise<void> {
  const mounts: Mount[] = [
    { kind: 'rw', source: work, target: tree.dir },
    ...environments.map(
      ({ path: at, real }): Mount => ({ kind: 'ro', source: real, target: path.join(tree.dir, at) }),
    ),
  ];
  const { outcome } = await sandbox.run({
    command: { argv: ['/bin/sh', '-c', command], cwd: tree.dir, env: { CI: '1', TZ: 'UTC', TERM: 'dumb' } },
    policy: { mounts, toolchains: [toolchain], strict },
    limits: {
      wallMs: Math.min(setupMs, mostMs),
      memoryBytes: 4096 * mebi,
      pids: 1024,
      cpus: 64,
      output: { maxBytes: 1024 * 1024, onExcess: 'truncate' },
      tmpBytes: 2048 * mebi,
      fileBytes: 2048 * mebi,
      openFiles: 4096,
    },
    ...(signal === undefined ? {} : { signal }),
  });
  signal?.throwIfAborted();
  if (outcome.reason !== 'exited' || outcome.exitCode !== 0)
    throw failedSetUp(command, outcome, Math.min(setupMs, mostMs));
}

function failedSetUp(command: string, outcome: Outcome, limitMs: number): AssayError {
  if (outcome.unavailable !== null) {
    const { cause, fix } = outcome.unavailable;
    return new AssayError({
      code: 'environment',
      message: 'No sandbox can be had here',
      because: cause,
      fix,
    });
  }
  if (outcome.reason === 'timeout') return slowSetUp(command, limitMs);
  const said = `${outcome.stderr.head}${outcome.stderr.tail}`.trim() || outcome.stdout.tail.trim();
  const end = outcome.reason === 'exited' ? `exit code ${outcome.exitCode}` : outcome.reason;
  return new AssayError({
    code: 'environment',
    message: `The set-up command "${command}" ended with ${end}`,
    because: said.split('\n').slice(-5).join('\n') || 'it said nothing',
    fix: 'Try it by hand in a copy of the project; in the sandbox it has no network and can write the project and /tmp only',
  });
}

function slowSetUp(command: string, limitMs: number): AssayError {
  const more = limitMs < mostMs ? 'Give more time with --timeout, or' : 'No command gets more time:';
  return new AssayError({
    code: 'environment',
    message: `The set-up command "${command}" is too slow: it ran over its limit of ${limitMs / 1_000} s`,
    because: 'in the sandbox it has no network, and a command that waits for one may never end',
    fix: `${more} run it by hand in the project first, where what it makes stays`,
  });
}

async function takeUp(
  opened: Opened,
  options: {
    folder: string;
    work: string;
    isSealed: (file: string) => boolean;
    isHeldOut: (file: string) => boolean;
  },
): Promise<SetUp> {
  const { folder, work } = options;
  const pristine = new Set(opened.base.sealedFiles);
  const walked = walk(work, defaultSnapshotLimits, { ignoreRules: false });
  const made = walked.entries.filter((entry) => !pristine.has(entry.path));
  const kept = opened.base.sealedFiles.map((file) => ({
    kind: 'file' as const,
    path: file,
    bytes: 0,
    mode: opened.base.modes.get(file) ?? 0o644,
    ignored: false,
  }));
  const into = path.join(folder, 'snapshot');
  fs.rmSync(into, { recursive: true, force: true });
  const base = takeSnapshot({
    into,
    entries: [...made, ...kept],
    folders: walked.folders,
    isSealed: options.isSealed,
    locate: (file) => path.join(pristine.has(file) ? opened.base.sealedDir : work, file),
  });
  const environments = [...walked.environments, ...opened.environments.filter((each) => !has(walked, each))];
  const tree = snapshotTree(opened.tree.dir, base, environments);
  // The interpreter of an environment that the command made lies in the copy: found there, called at its place inside.
  const found = await opened.framework.toolchain({ ...tree, dir: work }, opened.command);
  return {
    opened: { ...opened, base, environments, tree, toolchain: moved(found, { from: work, to: tree.dir }) },
    warnings: changedSealed(opened.base, work, options.isHeldOut),
  };
}

function has({ environments }: Walk, environment: { path: string }): boolean {
  return environments.some((each) => each.path === environment.path);
}

function moved(toolchain: Toolchain, { from, to }: { from: string; to: string }): Toolchain {
  const isInside = (at: string) => at === from || at.startsWith(`${from}/`);
  const move = (at: string) => (isInside(at) ? to + at.slice(from.length) : at);
  return {
    program: move(toolchain.program),
    // What lies in the project is mounted as one of its environments.
    prefixes: toolchain.prefixes.filter((prefix) => !isInside(prefix)),
    path: toolchain.path.map(move),
    env: Object.fromEntries(Object.entries(toolchain.env).map(([name, value]) => [name, move(value)])),
  };
}

function changedSealed(base: Snapshot, work: string, isHeldOut: (file: string) => boolean): string[] {
  return base.sealedFiles
    .filter((file) => !isHeldOut(file) && hashOf(path.join(work, file)) !== base.hashes.get(file))
    .map((file) => `the set-up command changed the protected file ${file}: the change is left out`);
}

function hashOf(file: string): string | null {
  try {
    if (!fs.lstatSync(file).isFile()) return null;
    return createHash('sha256').update(fs.readFileSync(file)).digest('hex');
  } catch {
    return null;
  }
}
