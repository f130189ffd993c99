/**
 * Kernels in the sandbox against nbclient and jupyter_client, in turns, on the same ipykernel; then what only we do.
 * Run alone: `node bench/kernel.ts PEER_PREFIX [NOTEBOOKS]`: a virtual environment with nbclient, ipykernel and
 * matplotlib, and the folder tests/files of a checkout of nbclient.
 */
import { spawn } from 'node:child_process';
import path from 'node:path';
import { type Kernel, kernelPool, type OpenJupyterOptions, openJupyterKernel } from '../src/kernel/index.ts';
import { createSandbox } from '../src/sandbox/index.ts';
import { BareKernel } from './kernel/bare-kernel.ts';
import { compareNotebooks } from './kernel/notebooks.ts';
import { median } from './median.ts';

const turns = 5;
const cells = 60;
const flood = 'for _ in range(102400): print("x" * 99)';
const floodBytes = 10_240_000;

type Opener = (options?: OpenJupyterOptions) => Promise<Kernel>;

export async function bench(options: {
  /** A virtual environment with the peers; empty where there is none. */
  peers: string;
  /** nbclient's notebooks; empty where there are none. */
  notebooks: string;
}): Promise<{ title: string; lines: string[] }> {
  const prefix = options.peers || path.resolve(import.meta.dirname, '../.venv');
  const python = path.join(prefix, 'bin/python');
  const sandbox = createSandbox();
  const env = { ...process.env, VIRTUAL_ENV: prefix };
  const open: Opener = (more = {}) => openJupyterKernel({ env, sandbox, strict: false, ...more });
  const lines = [
    ...(await inTurns({ python, open, withPeers: options.peers !== '' })),
    ...(await alone(open)),
    ...(await longSession(open)),
    ...(await manySessions(open)),
    ...(options.notebooks === ''
      ? []
      : await compared({ folder: options.notebooks, open, python: options.peers === '' ? null : python })),
  ];
  sandbox.close();
  return { title: 'Cells in a kernel', lines };
}

type Samples = { start: number[]; cell: number[]; flood: number[] };
const noSamples = (): Samples => ({ start: [], cell: [], flood: [] });

async function inTurns(options: { python: string; open: Opener; withPeers: boolean }): Promise<string[]> {
  const [ours, bare, peers] = [noSamples(), noSamples(), noSamples()];
  for (let turn = 0; turn < turns; turn++) {
    await ourTurn(options.open, ours);
    await bareTurn(options.python, bare);
    if (options.withPeers) await peerTurn(options.python, peers);
  }
  const row = (what: string, key: keyof Samples, most: Most) => {
    const figures = [ours, bare, peers].map((samples) => figure(samples[key]));
    const ratios = [ratio(ours[key], peers[key], most.peers), ratio(ours[key], bare[key], most.bare)];
    return `| ${[what, ...figures, ...ratios].join(' | ')} |`;
  };
  return [
    `${turns} turns each, in turns, on the same ipykernel; ${cells} cells a turn. Milliseconds, medians (and best), of the sandboxed kernel, of the same client without a sandbox, and of the peers: jupyter_client without its wait_for_ready for the start, nbclient for the rest.`,
    '',
    '| what | sandboxed | bare | peers | against peers | against bare |',
    '|-|-|-|-|-|-|',
    row('start to the first reply', 'start', { peers: 1.15, bare: null }),
    row("execute('1'), reply and idle", 'cell', { peers: 1.5, bare: 1.3 }),
    row('10 MB of standard output in 102,400 prints', 'flood', { peers: 1, bare: null }),
    '',
  ];
}

/** The ratio that a measure may have at most; null where none is set. */
type Most = { peers: number | null; bare: number | null };

/** Of the medians. */
function ratio(ours: readonly number[], theirs: readonly number[], most: number | null): string {
  if (ours.length === 0 || theirs.length === 0) return 'not measured';
  const times = median(ours) / median(theirs);
  const reached = most === null ? '' : ` (at most ${most}: ${times <= most ? 'reached' : 'missed'})`;
  return `${times.toFixed(2)}x${reached}`;
}

async function ourTurn(open: Opener, samples: Samples): Promise<void> {
  const kernel = await timed(samples.start, async () => {
    const opened = await open();
    await opened.execute('1');
    return opened;
  });
  for (let n = 0; n < 3; n++) await kernel.execute('1');
  for (let n = 0; n < cells; n++) await timed(samples.cell, () => kernel.execute('1'));
  const { streamBytes } = await timed(samples.flood, () => kernel.execute(flood));
  if (streamBytes.stdout !== floodBytes) throw new Error(`only ${streamBytes.stdout} bytes came`);
  await kernel.close();
}

async function bareTurn(python: string, samples: Samples): Promise<void> {
  const kernel = await timed(samples.start, async () => {
    const started = await BareKernel.start(python);
    await started.execute('1');
    return started;
  });
  for (let n = 0; n < 3; n++) await kernel.execute('1');
  for (let n = 0; n < cells; n++) await timed(samples.cell, () => kernel.execute('1'));
  await timed(samples.flood, () => kernel.execute(flood));
  kernel.close();
}

async function peerTurn(python: string, samples: Samples): Promise<void> {
  const script = path.join(import.meta.dirname, 'kernel/peer.py');
  const child = spawn(python, [script, String(cells), flood], { stdio: ['ignore', 'pipe', 'inherit'] });
  let text = '';
  for await (const piece of child.stdout) text += piece;
  const told = JSON.parse(text) as { start: number; cells: number[]; flood: number; floodBytes: number };
  if (told.floodBytes !== floodBytes) throw new Error(`nbclient got ${told.floodBytes} bytes`);
  samples.start.push(told.start);
  samples.cell.push(...told.cells);
  samples.flood.push(told.flood);
}

/** Interrupts, death, the warm pool, and memory under a flood. */
async function alone(open: Opener): Promise<string[]> {
  const [interrupts, deaths, warm]: [number[], number[], number[]] = [[], [], []];
  const kernel = await open();
  for (let n = 0; n < 20; n++) {
    let begin = () => {};
    const running = new Promise<void>((resolve) => {
      begin = resolve;
    });
    const cell = kernel.execute('print(1, flush=True)\nwhile True: pass', { onOutput: begin });
    await running;
    await timed(interrupts, async () => {
      await kernel.interrupt();
      return cell;
    });
  }
  const growth = [];
  for (const prints of [102_400, 1_024_000]) {
    const code = `for _ in range(${prints}): print("x" * 99)`;
    growth.push(await memoryGrowth(() => kernel.execute(code, { deadlineMs: 600_000 })));
  }
  await timed(deaths, () => kernel.execute('import os; os._exit(1)'));
  await kernel.close();
  const pool = kernelPool({ open, size: 1 });
  for (let n = 0; n < 5; n++) {
    // Time for the next to come up, as while a model thinks.
    await new Promise((resolve) => setTimeout(resolve, 6000));
    const taken = await timed(warm, async () => {
      const next = await pool.take();
      await next.execute('1');
      return next;
    });
    await taken.close();
  }
  await pool.close();
  return [
    '| what | median ms (best) | to reach |',
    '|-|-|-|',
    `| interrupt of \`while True: pass\` to the result | ${figure(interrupts)} | 100 |`,
    `| \`os._exit\` to the result | ${figure(deaths)} | |`,
    `| from the warm pool to the first reply | ${figure(warm)} | 50 |`,
    '',
    `While 10 MB of standard output come, our memory grows by ${growth[0]} MiB at most; while 100 MB come, by ${growth[1]} MiB.`,
    '',
  ];
}

async function longSession(open: Opener): Promise<string[]> {
  const kernel = await open();
  const times: number[] = [];
  for (let n = 0; n < 1000; n++) await timed(times, () => kernel.execute(`x${n} = ${n}\nprint(x${n})`));
  await kernel.close();
  return [
    `1,000 cells in one session: ${figure(times.slice(0, 200))} ms for the first 200, ${figure(times.slice(800))} ms for the last 200.`,
    '',
  ];
}

async function manySessions(open: Opener): Promise<string[]> {
  const count = 20;
  const begun = performance.now();
  let right = 0;
  const session = async (number: number) => {
    const kernel = await open();
    try {
      // What it finds was set by its own last cell, or it hears another one.
      await kernel.execute(`import time\nmine = "session ${number}"`);
      for (let n = 0; n < 10; n++) {
        const { outputs } = await kernel.execute(`time.sleep(0.01)\nprint(mine, ${n})`);
        const [output] = outputs;
        if (output?.output_type === 'stream' && output.text === `session ${number} ${n}\n`) right++;
      }
    } finally {
      await kernel.close();
    }
  };
  const growth = await memoryGrowth(() => Promise.all(Array.from({ length: count }, (_, n) => session(n))));
  const seconds = ((performance.now() - begun) / 1000).toFixed(1);
  return [
    `${count} sessions at once, started, 10 cells each, closed: ${right} of ${count * 10} cells gave their own output, in ${seconds} s; our memory grew by ${growth} MiB at most.`,
    '',
  ];
}

async function compared(options: { folder: string; open: Opener; python: string | null }): Promise<string[]> {
  const all = await compareNotebooks(options);
  const total = all.reduce((sum, { cells: count }) => sum + count, 0);
  const equal = (key: 'fromStored' | 'fromNbclient') => all.filter((one) => one[key] === null).length;
  const differences = all.flatMap(({ name, fromStored, fromNbclient }) => [
    ...(fromStored === null ? [] : [`- ${name}, from what is stored: ${fromStored.slice(0, 600)}`]),
    ...(fromNbclient === null ? [] : [`- ${name}, from nbclient now: ${fromNbclient.slice(0, 600)}`]),
  ]);
  return [
    `Of the ${all.length} notebooks of nbclient's test of stored outputs that need no ipywidgets (${total} cells run), ${equal('fromStored')} give the outputs and counts stored in them${options.python === null ? '' : `, and ${equal('fromNbclient')} those that nbclient gives now on the same ipykernel`}.`,
    '',
    ...differences,
    '',
  ];
}

/** How many MiB this process grew by at most while something went on, looked at every 5 ms. */
async function memoryGrowth(during: () => Promise<unknown>): Promise<string> {
  const before = process.memoryUsage.rss();
  let most = before;
  const look = () => {
    most = Math.max(most, process.memoryUsage.rss());
  };
  const timer = setInterval(look, 5);
  await during();
  clearInterval(timer);
  look();
  return ((most - before) / 2 ** 20).toFixed(0);
}

async function timed<Result>(times: number[], what: () => Promise<Result>): Promise<Result> {
  const begun = performance.now();
  const result = await what();
  times.push(performance.now() - begun);
  return result;
}

function figure(times: readonly number[]): string {
  if (times.length === 0) return 'not measured';
  return `${median(times).toFixed(1)} (${Math.min(...times).toFixed(1)})`;
}

if (import.meta.main) {
  const [peers = '', notebooks = ''] = process.argv.slice(2);
  process.stdout.write(`${(await bench({ peers, notebooks })).lines.join('\n')}\n`);
}
