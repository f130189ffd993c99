import { isUtf8 } from 'node:buffer';
import * as fs from 'node:fs';
import path from 'node:path';
import picomatch from 'picomatch';
import { AssayError } from '../../core/index.ts';
import { createSandbox } from '../../sandbox/index.ts';
import type { ProtectedGlob, SourceTree } from '../frameworks/framework.ts';
import { type Snapshot, takeSnapshot } from '../snapshot/take-snapshot.ts';
import { defaultSnapshotLimits, type Walk, walk } from '../snapshot/walk.ts';
import type { OpenProjectOptions, Project } from '../types.ts';
import { detectFramework } from './detect.ts';
import { withOpened } from './opened.ts';
import { protection } from './protect.ts';

/**
 * Takes a snapshot of a project and finds out how its tests are run. The user's folder is read, never written.
 * @throws AssayError `usage` for a contradiction in the options, `input` for a missing, empty or over-large project,
 *   `environment` where the interpreter, the test command or disk space is missing or the set-up command fails.
 */
export async function openProject(options: OpenProjectOptions): Promise<Project> {
  const dir = projectFolder(options.dir);
  const walked = walk(dir, defaultSnapshotLimits);
  if (walked.entries.length === 0) throw emptyProject(dir);
  const tree = sourceTree(dir, walked);
  const detected = await detectFramework({
    tree,
    framework: options.framework ?? null,
    testCommand: options.testCommand ?? null,
  });
  const { framework, command } = detected;
  const isHeldOut = picomatch(options.holdout ?? [], { dot: true });
  const globs = [
    ...framework.protectedGlobs(tree, command),
    ...named(options.protect, 'protected by --protect'),
    ...named(options.holdout, 'a held-out test'),
  ];
  const links = walked.entries.flatMap((entry) => (entry.kind === 'link' ? [entry.path] : []));
  const protectedBecause = protection({ globs, environments: tree.environments, links });
  const sealed = protection({ globs, environments: [], links: [] });
  const snapshot = takeSnapshot({
    dir,
    into: path.join(options.scratch, 'snapshot'),
    entries: walked.entries,
    isSealed: (file) => sealed(file) !== null,
  });
  const toolchain = await framework.toolchain(tree, command);
  const faces = face({ walked, snapshot, isHeldOut });
  const project: Project = {
    dir,
    framework: framework.id,
    ...faces,
    protectedBecause,
    autoLoaded: (file) => framework.autoLoaded(file, tree),
    warnings: [...walked.warnings, ...unreadable(snapshot), ...detected.warnings],
    hashes: snapshot.hashes,
  };
  return withOpened(project, {
    framework,
    command,
    toolchain,
    tree,
    base: snapshot,
    environments: walked.environments,
    scratch: options.scratch,
    injectDir: layInjected(framework.inject, options.scratch),
    strict: options.strict ?? true,
    sandbox: createSandbox(),
  });
}

function projectFolder(given: string): string {
  const dir = path.resolve(given);
  const stats = fs.statSync(dir, { throwIfNoEntry: false });
  if (stats === undefined) {
    throw new AssayError({
      code: 'input',
      message: `There is no folder ${dir}`,
      fix: 'Give the folder of the project',
    });
  }
  if (!stats.isDirectory()) {
    throw new AssayError({
      code: 'input',
      message: `${dir} is not a folder`,
      fix: 'Give the folder of the project',
    });
  }
  const real = fs.realpathSync(dir);
  if (systemFolders.test(real)) {
    throw new AssayError({
      code: 'input',
      message: `The project cannot be run in the folder ${real}`,
      because: 'the sandbox has a folder of its own there',
      fix: 'Copy the project to another place, e.g. below the home folder',
    });
  }
  return real;
}

const systemFolders = /^\/(?:(?:usr|etc|proc|sys|dev|bin|sbin|lib\w*)(?:\/.*)?|tmp|assay)?$/;

function emptyProject(dir: string): AssayError {
  return new AssayError({
    code: 'input',
    message: `No tests were found in ${dir}`,
    because: 'the folder is empty, or everything in it is ignored',
    fix: 'Give the folder that has the tests',
  });
}

const maxTextBytes = 1024 * 1024;

function sourceTree(dir: string, { entries, environments }: Walk): SourceTree {
  const sizes = new Map(
    entries.flatMap((entry) => (entry.kind === 'file' ? [[entry.path, entry.bytes] as const] : [])),
  );
  return {
    dir,
    files: [...sizes.keys()],
    environments: environments.map((environment) => environment.path),
    text(file) {
      const size = sizes.get(file);
      if (size === undefined || size > maxTextBytes) return null;
      try {
        const bytes = fs.readFileSync(path.join(dir, file));
        return isUtf8(bytes) && !bytes.includes(0) ? bytes.toString('utf8') : null;
      } catch {
        return null;
      }
    },
  };
}

function named(patterns: readonly string[] | undefined, because: string): ProtectedGlob[] {
  return (patterns ?? []).map((glob) => ({ glob, because }));
}

/** What a proposer may see: no held-out test, no link, nothing that an ignore rule hides. */
function face(options: { walked: Walk; snapshot: Snapshot; isHeldOut: (file: string) => boolean }) {
  const { walked, snapshot, isHeldOut } = options;
  const hidden = new Set(
    walked.entries.flatMap((entry) => (entry.kind === 'file' && entry.ignored ? [entry.path] : [])),
  );
  const all = [...snapshot.openFiles, ...snapshot.sealedFiles].sort();
  const files = all.filter((file) => !isHeldOut(file) && !hidden.has(file));
  const visible = new Set(files);
  const sealed = new Set(snapshot.sealedFiles);
  const check = (file: string) => {
    if (!visible.has(file)) throw new RangeError(`${file} is not a file of the project`);
  };
  return {
    files,
    heldOut: all.filter(isHeldOut),
    read(file: string): Uint8Array {
      check(file);
      return fs.readFileSync(path.join(sealed.has(file) ? snapshot.sealedDir : snapshot.openDir, file));
    },
    mode(file: string): number {
      check(file);
      return snapshot.modes.get(file) ?? 0o644;
    },
  };
}

function unreadable({ unreadable: files }: Snapshot): string[] {
  return files.map((file) => `${file} cannot be read and is left out`);
}

/** Copied, so that a sandbox sees the runner's files and nothing else of assay. */
function layInjected(files: readonly string[], scratch: string): string {
  const into = path.join(scratch, 'runner');
  fs.mkdirSync(into, { recursive: true });
  for (const file of files) {
    const to = path.join(into, path.basename(file));
    fs.writeFileSync(to, fs.readFileSync(file), { mode: 0o444 });
  }
  return into;
}
