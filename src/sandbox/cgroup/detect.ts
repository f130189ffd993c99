import { randomBytes } from 'node:crypto';
import { type ControlFiles, messageOf, readKeyed } from './control-files.ts';
import { removeMembers } from './group.ts';
import type { Hierarchy } from './layout.ts';
import { groupName, runnerIdentity } from './name.ts';
import { type Place, type Resource, resources, setLimits } from './place.ts';
import type { CgroupSupport } from './types.ts';
import { openUnified } from './unified.ts';

/** Small enough for any machine, large enough to be accepted by every kernel. */
const probeLimits = { memoryBytes: 64 * 1024 * 1024, pids: 16, cpus: 1 };

export type Detected = { places: Place[]; support: CgroupSupport };

/** Which groups can really be made here: each is tried once, as permissions and files alone do not tell. */
export function detect(options: {
  files: ControlFiles;
  hierarchies: readonly Hierarchy[];
  /** See `openUnified`. */
  mayMove: boolean;
  /** Whether the machine has any swap space. */
  hasSwap: boolean;
}): Detected {
  const { files, hierarchies, mayMove, hasSwap } = options;
  const notes: string[] = [];
  const unified = hierarchies.find(({ version }) => version === 2);
  const v2 =
    unified === undefined
      ? null
      : probe(files, openUnified({ files, hierarchy: unified, mayMove, notes }), notes);
  const places = withoutMereKiller(legacyPlaces({ files, hierarchies, v2, notes }), v2);
  const support = describe(places);
  const silent = resources.filter(
    (resource) => support[resource] === 'none' && !notes.some((note) => note.includes(resource)),
  );
  notes.push(
    ...silent.map((resource) => `no control group with the ${resource} controller is handed to the runner`),
  );
  const memory = places.find(({ limits }) => limits.includes('memory'));
  if (hasSwap && memory?.limitsSwap === false) {
    notes.push('memory is limited, but not what is swapped out: this kernel does not count swap per group');
  }
  return { places, support: { ...support, notes } };
}

/** The v1 hierarchies for what v2 does not give. */
function legacyPlaces(options: {
  files: ControlFiles;
  hierarchies: readonly Hierarchy[];
  v2: Place | null;
  notes: string[];
}): Place[] {
  const { files, hierarchies, v2, notes } = options;
  const claimed = new Set<string>(v2?.limits ?? []);
  const wanted = ['memory', 'pids', 'cpu', 'cpuacct', 'freezer'].filter(
    (controller) => !claimed.has(controller),
  );
  return hierarchies
    .filter(({ version, controllers }) => version === 1 && controllers.some((name) => wanted.includes(name)))
    .flatMap((hierarchy) => probe(files, legacyPlace(hierarchy, wanted), notes) ?? []);
}

/**
 * A v2 group that limits nothing is left out where v1 can kill too: a process enters v1 groups at once, while the kernel
 * holds up each move to a v2 group for some 10 ms.
 */
function withoutMereKiller(v1: Place[], v2: Place | null): Place[] {
  if (v2 === null) return v1;
  const canKill = v1.some(({ kill }) => kill !== null);
  const canCount = v1.some(({ countsCpu }) => countsCpu);
  return v2.limits.length === 0 && canKill && canCount ? v1 : [...v1, v2];
}

function legacyPlace({ controllers, ownDir }: Hierarchy, wanted: readonly string[]): Place {
  const here = controllers.filter((name) => wanted.includes(name));
  return {
    version: 1,
    base: ownDir,
    limits: resources.filter((resource) => here.includes(resource)),
    kill: here.includes('freezer') ? 'freezer' : null,
    countsCpu: here.includes('cpuacct'),
    countsOom: false,
    limitsSwap: false,
  };
}

/** The place as far as it works; null where it is of no use, with the reason among the notes. */
function probe(files: ControlFiles, place: Place | null, notes: string[]): Place | null {
  if (place === null) return null;
  const name = groupName({ ...runnerIdentity(), serial: `probe${randomBytes(6).toString('hex')}` });
  const dir = `${place.base}/${name}`;
  // To move a process, v2 also asks for the right to write to the group that holds both the old and the new one.
  if (place.version === 2 && !files.canWrite(`${place.base}/cgroup.procs`)) {
    notes.push(`no process can be moved to a group below ${place.base}: its cgroup.procs is not writable`);
    return null;
  }
  try {
    files.makeGroup(dir);
  } catch (error) {
    notes.push(`no group can be made below ${place.base}: ${messageOf(error)}`);
    return null;
  }
  try {
    const works = (resource: Resource) =>
      limitWorks({ files, place: { ...place, limits: [resource] }, dir, notes });
    const limits = place.limits.filter(works);
    const kill = place.kill === null || files.has(`${dir}/${killFiles[place.kill]}`) ? place.kill : null;
    const useful = limits.length > 0 || kill !== null || place.countsCpu;
    return useful ? { ...place, ...memoryFacts(files, place.version, dir), limits, kill } : null;
  } finally {
    removeMembers(files, [dir]);
  }
}

/** Only a group below the root has these files, so they are looked for where one was made. */
function memoryFacts(
  files: ControlFiles,
  version: 1 | 2,
  dir: string,
): Pick<Place, 'countsOom' | 'limitsSwap'> {
  return version === 2
    ? { countsOom: true, limitsSwap: files.has(`${dir}/memory.swap.max`) }
    : {
        // Since Linux 4.13.
        countsOom: readKeyed(files, `${dir}/memory.oom_control`, 'oom_kill') !== null,
        limitsSwap: files.has(`${dir}/memory.memsw.limit_in_bytes`),
      };
}

const killFiles = { 'cgroup.kill': 'cgroup.kill', freezer: 'freezer.state' };

function limitWorks(options: { files: ControlFiles; place: Place; dir: string; notes: string[] }): boolean {
  try {
    setLimits({ ...options, limits: probeLimits });
    return true;
  } catch (error) {
    options.notes.push(
      `no ${options.place.limits.join()} limit below ${options.place.base}: ${messageOf(error)}`,
    );
    return false;
  }
}

function describe(places: readonly Place[]): Omit<CgroupSupport, 'notes'> {
  const enforcer = (resource: Resource) => {
    const place = places.find(({ limits }) => limits.includes(resource));
    if (place === undefined) return 'none';
    return place.version === 2 ? 'cgroup2' : 'cgroup1';
  };
  const killer = places.find(({ kill }) => kill !== null);
  return {
    memory: enforcer('memory'),
    pids: enforcer('pids'),
    cpu: enforcer('cpu'),
    oomCounter: places.some(({ limits, countsOom }) => limits.includes('memory') && countsOom),
    killAll:
      killer?.kill === 'cgroup.kill' ? 'cgroup.kill' : places.length > 0 ? 'cgroup-signal' : 'pid-namespace',
  };
}
