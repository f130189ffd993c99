/**
 * How soon a tree of processes is dead, and the outcome there, once it is killed, aborted, out of time or out of memory.
 * The processes are those of a daemon: forked twice, each in a session of its own, deaf to SIGTERM. A part of the
 * section that sandbox.ts makes; alone: `node bench/endings.ts`.
 */
import * as fs from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock, Outcome } from '../src/core/index.ts';
import { createSandbox, type Limits, type SandboxProcess } from '../src/sandbox/index.ts';
import { identify, isRunning, type ProcessId, runsNoMore } from '../src/sandbox/processes.ts';

const rounds = 10;
const sizes = [5, 50];
const MiB = 2 ** 20;
const wallMs = 3_000;

const limits: Limits = {
  wallMs: 60_000,
  memoryBytes: 256 * MiB,
  pids: 128,
  cpus: 2,
  output: { maxBytes: MiB, onExcess: 'truncate' },
  tmpBytes: 16 * MiB,
  fileBytes: 64 * MiB,
  openFiles: 256,
};

/** `$1` sleepers, told by the number of seconds `$2`; then it waits for a line, and takes memory until it is killed. */
const script = `trap '' TERM
n=0
while [ "$n" -lt "$1" ]; do (setsid sleep "$2" &) ; n=$((n + 1)); done
read -r line
exec tail -n "$2" /dev/zero`;

type Tree = {
  process: SandboxProcess;
  /** Everything of the sandbox that the host sees, bwrap included. */
  all: ProcessId[];
  /** The shell, later the program that takes memory. */
  main: ProcessId;
  clock: Clock & { last(): number };
  abort: () => void;
};

/** `begin` makes the end happen; resolves with the instant from which is measured, null where only the outcome tells. */
type Ending = {
  name: string;
  reason: Outcome['reason'];
  limits?: Partial<Limits>;
  begin: (tree: Tree) => number | null | Promise<number>;
};

const endings: Ending[] = [
  {
    name: 'kill()',
    reason: 'aborted',
    begin: ({ process: child }) => {
      void child.kill();
      return performance.now();
    },
  },
  {
    name: 'the signal of an AbortController',
    reason: 'aborted',
    begin: ({ abort }) => {
      abort();
      return performance.now();
    },
  },
  { name: 'the wall limit', reason: 'timeout', limits: { wallMs }, begin: () => null },
  {
    name: 'the memory limit',
    reason: 'oom',
    begin: async ({ process: child, main }) => {
      child.stdin.write('\n');
      while (isRunning(main)) await sleep(1);
      return performance.now();
    },
  },
];

type Ended = { goneMs: number; outcomeMs: number };

async function once(ending: Ending, size: number, mark: string): Promise<Ended> {
  const tree = await grow({ size, mark, limits: { ...limits, ...ending.limits } });
  const gone = nothingLeft(tree.all);
  const known = ending.begin(tree);
  const outcome = tree.process.exited.then((outcome) => {
    const at = performance.now();
    const left = tree.all.filter((process) => !runsNoMore(process)).length;
    if (left > 0) throw new Error(`${ending.name}: ${left} processes could run when the outcome was there`);
    return { outcome, at };
  });
  const [begun, over, goneAt] = await Promise.all([known, outcome, gone]);
  const { reason, usage } = over.outcome;
  if (reason !== ending.reason) throw new Error(`${ending.name} ended as ${reason}`);
  // The runner reads the clock when the command starts and, last, when it has ended.
  const from = begun ?? tree.clock.last() - usage.wallMs + wallMs;
  // The look at the processes may come late, and the outcome has just proved that they were dead.
  return { goneMs: Math.min(goneAt, over.at) - from, outcomeMs: over.at - from };
}

async function grow(options: { size: number; mark: string; limits: Limits }): Promise<Tree> {
  const { size, mark, limits } = options;
  const controller = new AbortController();
  const clock = rememberingClock();
  const child = await createSandbox().spawn({
    command: { argv: ['sh', '-c', script, 'sh', String(size), mark], cwd: '/tmp', env: {} },
    policy: { mounts: [], toolchains: [], strict: false },
    limits,
    signal: controller.signal,
    clock,
  });
  let over = false;
  void child.exited.then(() => {
    over = true;
  });
  for (;;) {
    const found = processesWith(mark);
    const main = found.filter(({ program }) => program === 'sh');
    const sleepers = found.filter(({ program }) => program === 'sleep');
    if (main.length === 1 && main[0] !== undefined && sleepers.length === size)
      return { process: child, all: found, main: main[0], clock, abort: () => controller.abort() };
    if (over) throw new Error(`the processes never ran: ${(await child.exited).reason}`);
    await sleep(2);
  }
}

function rememberingClock(): Clock & { last(): number } {
  let last = 0;
  return {
    monotonicMs: () => {
      last = performance.now();
      return last;
    },
    now: () => new Date(),
    last: () => last,
  };
}

/** When the last of them was dead, looked at once a millisecond. */
async function nothingLeft(all: readonly ProcessId[]): Promise<number> {
  let left = [...all];
  for (;;) {
    left = left.filter((process) => !runsNoMore(process));
    if (left.length === 0) return performance.now();
    await sleep(1);
  }
}

function processesWith(mark: string): (ProcessId & { program: string })[] {
  return fs.readdirSync('/proc').flatMap((name) => {
    const words = /^\d+$/.test(name) ? commandLine(name) : [];
    const id = words.some((word) => word === mark) ? identify(Number(name)) : null;
    return id === null ? [] : [{ ...id, program: words[0] ?? '' }];
  });
}

function commandLine(pid: string): string[] {
  try {
    return fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
  } catch {
    return [];
  }
}

function cells(times: readonly number[]): string {
  const sorted = times.toSorted((a, b) => a - b);
  const middle = sorted[Math.floor((sorted.length - 1) / 2)] ?? Number.NaN;
  return `${middle.toFixed(1)} | ${(sorted.at(-1) ?? Number.NaN).toFixed(1)}`;
}

/** The table, and below it what did not end as it should here. */
export async function endingTable(): Promise<string[]> {
  const rows: string[] = [];
  const failed: string[] = [];
  let serial = 0;
  for (const ending of endings) {
    for (const size of sizes) {
      try {
        const all: Ended[] = [];
        for (let round = 0; round < rounds; round++) {
          serial += 1;
          // A number of seconds, and of lines, that no other process has.
          all.push(await once(ending, size, `8640${process.pid}${String(serial).padStart(3, '0')}`));
        }
        const gone = cells(all.map(({ goneMs }) => goneMs));
        rows.push(`| ${ending.name} | ${size} | ${gone} | ${cells(all.map((each) => each.outcomeMs))} |`);
      } catch (error) {
        failed.push(
          `Not measured here, ${size} processes: ${error instanceof Error ? error.message : error}.`,
        );
      }
    }
  }
  return [
    `Milliseconds from the end's cause until every process is dead, seen from the host, and until the outcome is there; ${rounds} rounds each. Out of memory counts from the death of the process that took it.`,
    '',
    '| what ends it | processes | nothing left: median | longest | outcome: median | longest |',
    '|-|-|-|-|-|-|',
    ...rows,
    ...failed.flatMap((line) => ['', line]),
  ];
}

if (import.meta.main) process.stdout.write(`${(await endingTable()).join('\n')}\n`);
