import * as fs from 'node:fs';
import { posix } from 'node:path';
import { type ControlFiles, kernelControlFiles } from './control-files.ts';
import { readStat } from './process-stat.ts';

/**
 * A stand-in for the kernel's cgroup v2 filesystem over an ordinary folder, for machines that offer no v2
 * controllers. It keeps the rules that code depends on (which files a group has, who may hold processes, what EBUSY,
 * ESRCH and ENOENT mean) and kills for real, but limits nothing and counts nothing: a test writes the counters.
 */
export function fakeUnified(root: string): ControlFiles {
  if (!fs.existsSync(`${root}/cgroup.controllers`)) {
    layFiles(root, {
      'cgroup.controllers': 'cpu memory pids',
      'cgroup.subtree_control': '',
      'cgroup.procs': '',
    });
  }
  const isRoot = (dir: string) => posix.resolve(dir) === posix.resolve(root);
  return {
    ...kernelControlFiles,
    makeGroup: (dir) => makeGroup(dir),
    removeGroup(dir) {
      if (!fs.existsSync(dir)) throw refusal('ENOENT', dir);
      if (livePids(dir).length > 0 || kernelControlFiles.listGroups(dir).length > 0)
        throw refusal('EBUSY', dir);
      fs.rmSync(dir, { recursive: true });
    },
    read: (file) =>
      posix.basename(file) === 'cgroup.procs' && fs.existsSync(file)
        ? livePids(posix.dirname(file))
            .map((pid) => `${pid}\n`)
            .join('')
        : kernelControlFiles.read(file),
    write: (file, value) => write({ root, file, value, isRoot }),
    writeSoon: async (file, value) => write({ root, file, value, isRoot }),
  };
}

const coreFiles = {
  'cgroup.type': 'domain',
  'cgroup.procs': '',
  'cgroup.subtree_control': '',
  'cgroup.kill': '',
  'cgroup.freeze': '0',
  'cpu.stat': 'usage_usec 0\nuser_usec 0\nsystem_usec 0',
};

const controllerFiles: Record<string, Record<string, string>> = {
  memory: {
    'memory.max': 'max',
    'memory.swap.max': 'max',
    'memory.oom.group': '0',
    'memory.peak': '0',
    'memory.events': 'low 0\nhigh 0\nmax 0\noom 0\noom_kill 0\noom_group_kill 0',
  },
  pids: { 'pids.max': 'max', 'pids.peak': '0', 'pids.events': 'max 0' },
  cpu: { 'cpu.max': 'max 100000' },
};

function makeGroup(dir: string): void {
  const controllers = words(`${posix.dirname(dir)}/cgroup.subtree_control`);
  fs.mkdirSync(dir);
  layFiles(dir, { ...coreFiles, 'cgroup.controllers': controllers.join(' ') });
  for (const controller of controllers) layFiles(dir, controllerFiles[controller] ?? {});
}

function write(options: {
  root: string;
  file: string;
  value: string;
  isRoot: (dir: string) => boolean;
}): void {
  const { root, file, value, isRoot } = options;
  const dir = posix.dirname(file);
  if (!fs.existsSync(file)) throw refusal('ENOENT', file);
  switch (posix.basename(file)) {
    case 'cgroup.procs':
      if (!isRoot(dir) && words(`${dir}/cgroup.subtree_control`).length > 0) throw refusal('EBUSY', file);
      enter({ root, dir, pid: Number(value) });
      break;
    case 'cgroup.subtree_control':
      if (!isRoot(dir) && livePids(dir).length > 0) refuseToHandDown(dir, value);
      handDown(dir, value);
      break;
    case 'cgroup.kill':
      for (const pid of livePids(dir)) process.kill(pid, 'SIGKILL');
      break;
    default:
      // Truncating: an ordinary file would keep the rest of a longer old value.
      fs.writeFileSync(file, `${value}\n`);
  }
}

function enter(options: { root: string; dir: string; pid: number }): void {
  const { root, dir, pid } = options;
  if (readStat(pid) === null) throw refusal('ESRCH', `${dir}/cgroup.procs`);
  const groups = [root, ...allGroups(root)];
  for (const group of groups) {
    const rest = words(`${group}/cgroup.procs`).filter((line) => Number(line) !== pid);
    fs.writeFileSync(`${group}/cgroup.procs`, rest.map((line) => `${line}\n`).join(''));
  }
  fs.appendFileSync(`${dir}/cgroup.procs`, `${pid}\n`);
}

/** Threaded controllers are handed down even by a group with processes, which then no longer hands down memory. */
function refuseToHandDown(dir: string, value: string): void {
  if (value !== '+memory') return;
  throw refusal(words(`${dir}/cgroup.subtree_control`).length > 0 ? 'ENOTSUP' : 'EBUSY', dir);
}

function handDown(dir: string, value: string): void {
  const name = value.replace(/^\+/, '');
  if (!words(`${dir}/cgroup.controllers`).includes(name))
    throw refusal('ENOENT', `${dir}/cgroup.subtree_control`);
  const enabled = new Set([...words(`${dir}/cgroup.subtree_control`), name]);
  fs.writeFileSync(`${dir}/cgroup.subtree_control`, `${[...enabled].join(' ')}\n`);
  for (const child of kernelControlFiles.listGroups(dir)) {
    layFiles(`${dir}/${child}`, { ...controllerFiles[name], 'cgroup.controllers': [...enabled].join(' ') });
  }
}

/** The members that live, with the descendants that were born inside: written down, as a parent may die first. */
function livePids(dir: string): number[] {
  const members = new Set(
    words(`${dir}/cgroup.procs`)
      .map(Number)
      .filter((pid) => readStat(pid) !== null),
  );
  if (members.size === 0) return [];
  const all = fs.readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  for (let before = 0; before < members.size; ) {
    before = members.size;
    for (const pid of all.map(Number)) {
      const parent = readStat(pid)?.parent;
      // This process starts the members, so its children are no births inside a group that holds it.
      if (parent !== undefined && parent !== process.pid && members.has(parent)) members.add(pid);
    }
  }
  fs.writeFileSync(`${dir}/cgroup.procs`, [...members].map((pid) => `${pid}\n`).join(''));
  return [...members];
}

function allGroups(dir: string): string[] {
  return kernelControlFiles
    .listGroups(dir)
    .flatMap((name) => [`${dir}/${name}`, ...allGroups(`${dir}/${name}`)]);
}

function words(file: string): string[] {
  return fs
    .readFileSync(file, 'utf8')
    .split(/\s+/)
    .filter((word) => word !== '');
}

function layFiles(dir: string, content: Record<string, string>): void {
  for (const [name, text] of Object.entries(content))
    fs.writeFileSync(`${dir}/${name}`, text === '' ? '' : `${text}\n`);
}

function refusal(code: 'EBUSY' | 'ENOENT' | 'ENOTSUP' | 'ESRCH', path: string): Error {
  return Object.assign(new Error(`${code}: refused by the fake cgroup filesystem, '${path}'`), {
    code,
    path,
  });
}
