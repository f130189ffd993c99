/**
 * One empty command in a sandbox against bare bwrap with the same flags and against other tools on PATH, all spawned
 * from Node, in turns; then what a flood of output costs the runner, and how soon all is dead (endings.ts). Run alone:
 * `node bench/sandbox.ts`.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { bwrapArguments, type Identity } from '../src/sandbox/bwrap-arguments.ts';
import { descriptor } from '../src/sandbox/descriptors.ts';
import { createSandbox, type RunOptions } from '../src/sandbox/index.ts';
import { madeFiles } from '../src/sandbox/made-files.ts';
import { rootParts } from '../src/sandbox/root.ts';
import { seccompFilter } from '../src/sandbox/seccomp/index.ts';
import { setupArgv } from '../src/sandbox/setup-script.ts';
import { endingTable } from './endings.ts';

const rounds = 60;
const MiB = 2 ** 20;
const isRoot = process.getuid?.() === 0;

const options: RunOptions = {
  command: { argv: ['true'], cwd: '/tmp', env: {} },
  // Where no control group can be had, what is left is measured all the same; the title says so.
  policy: { mounts: [], toolchains: [], strict: false },
  limits: {
    wallMs: 10_000,
    memoryBytes: 256 * MiB,
    pids: 64,
    cpus: 2,
    output: { maxBytes: MiB, onExcess: 'truncate' },
    tmpBytes: 16 * MiB,
    fileBytes: 64 * MiB,
    openFiles: 256,
  },
};

type Contender = { name: string; once: () => Promise<void> };

function ended(child: ChildProcess, what: string): Promise<void> {
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => (code === 0 ? resolve() : reject(new Error(`${what} ended with ${code}`))));
  });
}

function plain(argv: readonly string[]): Promise<void> {
  const [file = '', ...rest] = argv;
  return ended(spawn(file, rest, { stdio: ['ignore', 'pipe', 'pipe'] }), file);
}

/** bwrap told what the sandbox tells it, the system call filter and the made-up files included; no runner around it. */
function bareBwrap(folder: string, argv: readonly string[]): () => Promise<void> {
  const identity: Identity = isRoot
    ? { isolation: 'host-uid', uid: 70_000 }
    : { isolation: 'user-namespace', uid: 1000, disableUserns: true };
  const files = madeFiles(identity.uid);
  const told = bwrapArguments({ identity, root: rootParts(), files, ...options });
  const at = told.indexOf('--json-status-fd');
  told.splice(at, 2);
  const contents = new Map<number, string | Uint8Array>([
    [descriptor.arguments, `${told.join('\0')}\0`],
    [descriptor.filter, seccompFilter(process.arch) ?? ''],
    ...files.map(({ content }, index) => [descriptor.files + index, content] as const),
  ]);
  for (const [fd, content] of contents) fs.writeFileSync(path.join(folder, String(fd)), content);
  const last = Math.max(...contents.keys());
  return async () => {
    const opened = [...contents.keys()].map(
      (fd) => [fd, fs.openSync(path.join(folder, String(fd)), 'r')] as const,
    );
    const given = new Map(opened);
    const stdio = Array.from(
      { length: last + 1 },
      (_, fd) => given.get(fd) ?? (fd === 1 || fd === 2 ? 'pipe' : 'ignore'),
    );
    const child = spawn('bwrap', ['--args', String(descriptor.arguments), '--', ...argv], { stdio, env: {} });
    for (const [, fd] of opened) fs.closeSync(fd);
    await ended(child, 'bwrap');
  };
}

/** What the sandbox runs before the command: it drops root, sets limits and waits at a gate, which here stands open. */
function preparation(): string[] {
  if (!isRoot) return [];
  const argv = setupArgv({
    identity: { isolation: 'host-uid', uid: 70_000 },
    shell: ['/bin/sh'],
    setpriv: '/usr/bin/setpriv',
    leaked: [],
    command: options.command,
    env: {},
    rlimits: [],
    mounts: [],
    groups: 0,
  });
  return argv.slice(0, argv.indexOf('/bin/sh'));
}

function others(folder: string): Contender[] {
  const bundle = path.join(folder, 'bundle');
  const known: [string, string[]][] = [
    [
      'firejail',
      [
        '--quiet',
        '--noprofile',
        '--net=none',
        '--private-tmp',
        '--private-dev',
        '--seccomp',
        '--caps.drop=all',
        '--',
        'true',
      ],
    ],
    ['runc', ['run', '--bundle', bundle]],
    ['podman', ['run', '--rm', '--network=none', '--read-only', '--cap-drop=all', '--rootfs', '/:O', 'true']],
  ];
  let serial = 0;
  return known
    .filter(([program]) => spawnSync('which', [program]).status === 0)
    .map(([program, args]) => ({
      name: `${program} ${args.filter((arg) => arg !== bundle && arg !== '--bundle').join(' ')}`,
      once: () =>
        plain([program, ...args, ...(program === 'runc' ? [`assay-bench-${process.pid}-${serial++}`] : [])]),
    }));
}

/** A bundle whose root shows the machine's /usr read-only. */
function layBundle(folder: string): void {
  const bundle = path.join(folder, 'bundle');
  const root = path.join(bundle, 'rootfs');
  fs.mkdirSync(path.join(root, 'usr'), { recursive: true });
  for (const name of ['bin', 'lib', 'lib64']) fs.symlinkSync(`usr/${name}`, path.join(root, name));
  if (spawnSync('runc', ['spec'], { cwd: bundle }).status !== 0) return;
  const file = path.join(bundle, 'config.json');
  const spec = JSON.parse(fs.readFileSync(file, 'utf8'));
  spec.process.terminal = false;
  spec.process.args = ['true'];
  // Its own cgroup mount fails where the hierarchies are laid in another way than runc expects.
  spec.mounts = [
    ...spec.mounts.filter(({ type }: { type: string }) => type !== 'cgroup'),
    { destination: '/usr', type: 'bind', source: '/usr', options: ['rbind', 'ro'] },
  ];
  fs.writeFileSync(file, JSON.stringify(spec));
}

/** The share of the way up the sorted times. */
function quantile(times: readonly number[], share: number): number {
  return [...times].sort((a, b) => a - b)[Math.floor(share * (times.length - 1))] ?? Number.NaN;
}

function row(name: string, times: readonly number[], bare: number): string {
  const [low, middle, high] = [0.1, 0.5, 0.9].map((share) => quantile(times, share).toFixed(1));
  return `| ${name} | ${middle} | ${low} - ${high} | ${(quantile(times, 0.5) / bare).toFixed(2)} |`;
}

async function race(
  contenders: readonly Contender[],
): Promise<{ times: Map<string, number[]>; failed: string[] }> {
  const times = new Map<string, number[]>();
  const failed = new Map<string, string>();
  for (let round = -2; round < rounds; round++) {
    for (const { name, once } of contenders) {
      if (failed.has(name)) continue;
      const start = performance.now();
      try {
        await once();
      } catch (error) {
        failed.set(name, error instanceof Error ? error.message : String(error));
      }
      // The first turns warm up.
      if (round >= 0) times.set(name, [...(times.get(name) ?? []), performance.now() - start]);
    }
  }
  for (const name of failed.keys()) times.delete(name);
  return { times, failed: [...failed].map(([name, why]) => `${name} did not run here: ${why}`) };
}

/** Seconds for 1 GiB of output, and by how much the runner's memory grew at most. */
async function flood(): Promise<{ seconds: number; grownMiB: number }> {
  const before = process.memoryUsage().rss;
  let most = before;
  const watch = setInterval(() => {
    most = Math.max(most, process.memoryUsage().rss);
  }, 20);
  const start = performance.now();
  const argv: RunOptions['command']['argv'] = ['head', '-c', String(2 ** 30), '/dev/zero'];
  const { outcome } = await createSandbox().run({ ...options, command: { ...options.command, argv } });
  clearInterval(watch);
  if (outcome.stdout.totalBytes !== 2 ** 30) throw new Error(`only ${outcome.stdout.totalBytes} bytes came`);
  return { seconds: (performance.now() - start) / 1000, grownMiB: (most - before) / MiB };
}

export async function bench(): Promise<{ title: string; lines: string[] }> {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-bench-'));
  try {
    layBundle(folder);
    const sandbox = createSandbox();
    const { outcome } = await sandbox.run(options);
    if (outcome.reason !== 'exited') throw new Error(outcome.unavailable?.cause ?? outcome.reason);
    const bare = 'bwrap, the same flags, filter and files';
    const dropping = 'the same, and setpriv to stop being root';
    const own = "assay: run(['true'])";
    const { times, failed } = await race([
      { name: 'no sandbox', once: () => plain(['true']) },
      { name: bare, once: bareBwrap(folder, ['true']) },
      ...(isRoot ? [{ name: dropping, once: bareBwrap(folder, [...preparation(), 'true']) }] : []),
      {
        name: own,
        once: async () => {
          const run = await sandbox.run(options);
          if (run.outcome.exitCode !== 0)
            throw new Error(run.outcome.unavailable?.cause ?? run.outcome.reason);
        },
      },
      ...others(folder),
    ]);
    const base = quantile(times.get(bare) ?? [], 0.5);
    const { seconds, grownMiB } = await flood();
    const { isolation, memory, pids, cpu } = outcome.enforcement;
    return {
      title: 'One command in a sandbox',
      lines: [
        `From the call to the result, ${rounds} turns each, in turns. Isolation ${isolation}; memory held by ${memory}, processes by ${pids}, CPU by ${cpu}.`,
        '',
        '| what | median ms | 10 - 90 % | against bare bwrap |',
        '|-|-|-|-|',
        ...[...times].map(([name, taken]) => row(name, taken, base)),
        '',
        ...failed.flatMap((line) => [line, '']),
        `1 GiB of output is read in ${seconds.toFixed(1)} s while the runner grows by ${grownMiB.toFixed(0)} MiB at most.`,
        '',
        ...(await endingTable()),
      ],
    };
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
}

if (import.meta.main) process.stdout.write(`${(await bench()).lines.join('\n')}\n`);
