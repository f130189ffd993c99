import { posix } from 'node:path';
import { type ControlFiles, errorCode, messageOf, readOrNull, readPids } from './control-files.ts';
import type { Hierarchy } from './layout.ts';
import { type Place, type Resource, resources } from './place.ts';
import { areKin } from './process-stat.ts';

/** The leaf that runners move to, as a group that hands controllers down may hold no process itself. */
export const runnersLeaf = 'assay-runners';

/**
 * Makes the runner's own group in the v2 hierarchy ready to hold sandboxes (Linux, admin-guide/cgroup-v2.rst,
 * "Top-down Constraint", "No Internal Process Constraint"). What cannot be handed down is named in `notes`.
 */
export function openUnified(options: {
  files: ControlFiles;
  hierarchy: Hierarchy;
  /** Whether the runner, and what it was started with, may be moved to a leaf. */
  mayMove: boolean;
  notes: string[];
}): Place {
  const { files, hierarchy, mayMove, notes } = options;
  // A runner started by a runner is born in the leaf: its sandboxes go beside the leaf, not below.
  const base =
    posix.basename(hierarchy.ownDir) === runnersLeaf ? posix.dirname(hierarchy.ownDir) : hierarchy.ownDir;
  const offered = words(readOrNull(files, `${base}/cgroup.controllers`));
  const handedDown = words(readOrNull(files, `${base}/cgroup.subtree_control`));
  const wanted = resources.filter((resource) => offered.includes(resource));
  const missing = wanted.filter((resource) => !handedDown.includes(resource));
  const mayHandDown = missing.length === 0 || makeRoom({ files, base, mayMove, notes });
  return {
    version: 2,
    base,
    limits: wanted.filter(
      (resource) =>
        !missing.includes(resource) || (mayHandDown && handDown({ files, base, resource, notes })),
    ),
    kill: 'cgroup.kill',
    countsCpu: true,
    countsOom: false,
    limitsSwap: false,
  };
}

/**
 * Sees to it that `base` holds no process. Without that the kernel still hands down pids and cpu, but `base` then
 * counts as the root of a threaded subtree, and memory can no longer be handed down at all.
 */
function makeRoom(options: {
  files: ControlFiles;
  base: string;
  mayMove: boolean;
  notes: string[];
}): boolean {
  const { files, base, mayMove, notes } = options;
  // The root of the hierarchy is exempt, and is the one group without this file.
  if (!files.has(`${base}/cgroup.type`)) return true;
  try {
    if (readPids(files, base).length === 0) return true;
    if (!mayMove) throw new Error('it holds processes');
    moveToLeaf(files, base);
    return true;
  } catch (error) {
    notes.push(`no memory, pids or cpu limit below ${base}: ${messageOf(error)}`);
    return false;
  }
}

/** Enables one controller for the groups below `base`. */
function handDown(options: {
  files: ControlFiles;
  base: string;
  resource: Resource;
  notes: string[];
}): boolean {
  const { files, base, resource, notes } = options;
  try {
    files.write(`${base}/cgroup.subtree_control`, `+${resource}`);
    return true;
  } catch (error) {
    notes.push(`the ${resource} controller cannot be handed down from ${base}: ${messageOf(error)}`);
    return false;
  }
}

/** Rounds of moving: what is being moved may fork meanwhile. */
const maxRounds = 10;

function moveToLeaf(files: ControlFiles, base: string): void {
  const leaf = `${base}/${runnersLeaf}`;
  for (let round = 0; round < maxRounds; round++) {
    const pids = readPids(files, base);
    if (pids.length === 0) return;
    if (!areKin(pids, process.pid))
      throw new Error('it also holds processes that the runner was not started with');
    if (!files.has(leaf)) files.makeGroup(leaf);
    for (const pid of pids) moveUnlessGone(files, leaf, pid);
  }
}

function moveUnlessGone(files: ControlFiles, leaf: string, pid: number): void {
  try {
    files.write(`${leaf}/cgroup.procs`, String(pid));
  } catch (error) {
    if (errorCode(error) !== 'ESRCH') throw error;
  }
}

function words(text: string | null): string[] {
  return text === null ? [] : text.split(/\s+/).filter((word) => word !== '');
}
