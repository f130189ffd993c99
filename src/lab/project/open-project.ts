import * as fs from 'node:fs';
import path from 'node:path';
import picomatch from 'picomatch';
import { AssayError } from '../../core/index.ts';
import { createSandbox } from '../../sandbox/index.ts';
import type { ProtectedGlob } from '../frameworks/framework.ts';
import { noByteCode } from '../snapshot/byte-code.ts';
import { packSnapshot, unpackSnapshot } from '../snapshot/pack.ts';
import { type Snapshot, takeSnapshot } from '../snapshot/take-snapshot.ts';
import { defaultSnapshotLimits, type Walk, walk } from '../snapshot/walk.ts';
import type { OpenProjectOptions, Project } from '../types.ts';
import { type Detected, detectFramework } from './detect.ts';
import { face } from './face.ts';
import { projectFolder } from './folder.ts';
import { notUtf8 } from './not-utf8.ts';
import { type Opened, openedOf, withOpened } from './opened.ts';
import { protection } from './protect.ts';
import { setUp } from './set-up.ts';
import { listedTree, snapshotTree } from './source-tree.ts';

/**
 * Takes a snapshot of a project and finds out how its tests are run. The user's folder is read, never written.
 * With `packed` not even that is read.
 * @throws AssayError `usage` for a missing folder or a contradiction in the options, `environment` for an empty or
 *   over-large project and where the interpreter, the test command or disk space is missing or the set-up command
 *   fails; the signal's reason on abort.
 */
export async function openProject(options: OpenProjectOptions): Promise<Project> {
  const { dir, from, walked } = await sourceOf(options);
  if (walked.entries.length === 0) throw emptyProject(dir);
  const listed = listedTree({ dir, from, walked });
  const detected = await detectFramework({
    tree: listed,
    framework: options.framework ?? null,
    testCommand: options.testCommand ?? null,
  });
  const { framework, command } = detected;
  const globs = [...framework.protectedGlobs(listed, command), ...namedGlobs(options)];
  const sealed = protection({ globs, environments: [], links: [] });
  const isSealed = (file: string) => sealed(file) !== null;
  const snapshot = takeSnapshot({
    into: path.join(options.scratch, 'snapshot'),
    ...walked,
    isSealed,
    locate: (file) => path.join(from, file),
  });
  if (from !== dir) fs.rmSync(from, { recursive: true, force: true });
  const copied = snapshotTree(dir, snapshot, walked.environments);
  const toolchain = await framework.toolchain(copied, command);
  const installed = framework.installed?.(toolchain);
  const tree = installed === undefined ? copied : { ...copied, installed };
  const opened: Opened = {
    framework,
    command,
    toolchain,
    tree,
    base: snapshot,
    environments: walked.environments,
    origin: { walked, snapshot },
    scratch: options.scratch,
    injectDir: layInjected(framework.inject, options.scratch),
    strict: options.strict ?? true,
    byteCode: noByteCode,
    sandbox: sweptSandbox(),
  };
  // Those too that the snapshot has replaced by what they lead to: in the user's folder they are links still.
  const links = walked.entries.flatMap((entry) => (entry.kind === 'link' ? [entry.path] : []));
  const isHeldOut = picomatch(options.holdout ?? [], { dot: true });
  const project: Project = {
    dir,
    framework: framework.id,
    ...face({ entries: walked.entries, snapshot, isHeldOut }),
    protectedBecause: protection({ globs, environments: tree.environments, links }),
    autoLoaded: (file) => framework.autoLoaded(file, tree),
    warnings: warningsOf(walked.warnings, snapshot, detected),
    hashes: snapshot.hashes,
  };
  if (options.setup === undefined) return withOpened(project, opened);
  const ready = await setUp(opened, { ...options, command: options.setup, isSealed, isHeldOut });
  return withOpened({ ...project, warnings: [...project.warnings, ...ready.warnings] }, ready.opened);
}

/** The user's folder, or what was packed of it, laid in the scratch folder. */
async function sourceOf({
  dir: given,
  packed,
  scratch,
}: OpenProjectOptions): Promise<{ dir: string; from: string; walked: Walk }> {
  if (packed !== undefined) {
    const from = path.join(scratch, 'packed');
    return { from, ...(await unpackSnapshot(packed, from)) };
  }
  const dir = projectFolder(given);
  return { dir, from: dir, walked: walk(dir, defaultSnapshotLimits) };
}

/** The user's files of an opened project as one piece, to open it from again: see `OpenProjectOptions.packed`. */
export function packProject(project: Project): Promise<Uint8Array> {
  return packSnapshot({ dir: project.dir, ...openedOf(project).origin });
}

function namedGlobs({ protect, holdout }: OpenProjectOptions): ProtectedGlob[] {
  return [
    { glob: '**/assay.config.*', because: 'the configuration of assay' },
    ...(protect ?? []).map((glob) => ({ glob, because: 'protected by --protect' })),
    ...(holdout ?? []).map((glob) => ({ glob, because: 'a held-out test' })),
  ];
}

function warningsOf(walked: readonly string[], snapshot: Snapshot, detected: Detected): string[] {
  return [
    ...walked,
    ...snapshot.unreadable.map((file) => `${file} cannot be read and is left out`),
    ...notUtf8(snapshot),
    ...detected.warnings,
  ];
}

function emptyProject(dir: string): AssayError {
  return new AssayError({
    code: 'environment',
    message: `No tests were found in ${dir}`,
    because: 'the folder is empty, or everything in it is ignored',
    fix: 'Give the folder that has the tests',
  });
}

/** Copied, so that a sandbox sees the runner's files and nothing else of assay. */
function layInjected(files: readonly string[], scratch: string): string {
  const into = path.join(scratch, 'runner');
  fs.mkdirSync(into, { recursive: true });
  for (const file of files) {
    const to = path.join(into, path.basename(file));
    // One of an earlier opening is read-only, and so closed to its own owner.
    fs.rmSync(to, { force: true });
    fs.writeFileSync(to, fs.readFileSync(file), { mode: 0o444 });
  }
  return into;
}

/** What dead runners left on this machine goes before anything new is put there. */
function sweptSandbox(): ReturnType<typeof createSandbox> {
  const sandbox = createSandbox();
  sandbox.sweep();
  return sandbox;
}
