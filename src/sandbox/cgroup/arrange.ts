import type { ControlFiles } from './control-files.ts';
import { type Detected, detect } from './detect.ts';
import type { Hierarchy } from './layout.ts';

export type ArrangeOptions = {
  files: ControlFiles;
  /** Read again after the runner has been moved. */
  hierarchies: () => readonly Hierarchy[];
  /** Has the runner moved to a group of its own by whoever manages groups here; false where nobody does. */
  enterScope: () => boolean;
  hasSwap: boolean;
};

/**
 * Finds groups that hold memory and processes, changing as little as possible: as things are; else in a group of the
 * runner's own that the machine's manager of groups gives it; else by moving the runner to a leaf of its group.
 */
export function arrange({ files, hierarchies, enterScope, hasSwap }: ArrangeOptions): Detected {
  const asItIs = detect({ files, hierarchies: hierarchies(), mayMove: false, hasSwap });
  const couldHelp = hierarchies().some(
    ({ version, mountPoint }) => version === 2 && offersMemory(files, mountPoint),
  );
  if (isSufficient(asItIs) || !couldHelp) return asItIs;
  enterScope();
  return detect({ files, hierarchies: hierarchies(), mayMove: true, hasSwap });
}

function isSufficient({ support }: Detected): boolean {
  return support.memory !== 'none' && support.pids !== 'none';
}

function offersMemory(files: ControlFiles, mountPoint: string): boolean {
  try {
    return files.read(`${mountPoint}/cgroup.controllers`).split(/\s+/).includes('memory');
  } catch {
    return false;
  }
}
