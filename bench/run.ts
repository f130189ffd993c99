/**
 * Runs the benchmarks and writes what they measured to docs/benchmarks.md, with the date and the machine.
 *
 *   npm run bench                                  everything that needs no repository
 *   npm run bench -- --quixbugs PATH               also QuixBugs, from a checkout at PATH
 *   npm run bench -- --only kernel --peers VENV --notebooks PATH   see bench/kernel.ts
 *   npm run bench -- --only sandbox,lab            some of them; the other sections of the page stay as they are
 *   npm run bench -- --list                        what there is
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';

/** One section of the page: markdown lines under a heading. */
export type Section = { title: string; lines: string[] };
type Bench = { name: string; summary: string; run: () => Promise<Section> };

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    quixbugs: { type: 'string' },
    peers: { type: 'string' },
    notebooks: { type: 'string' },
    list: { type: 'boolean' },
  },
});

const benches: Bench[] = [
  {
    name: 'sandbox',
    summary: 'one sandboxed command against bare bwrap and others',
    run: async () => (await import('./sandbox.ts')).bench(),
  },
  {
    name: 'lab',
    summary: 'one pytest run in the lab against pytest by hand',
    run: async () => (await import('./lab.ts')).bench(),
  },
  {
    name: 'search',
    summary: 'candidates judged per second, warm against cold',
    run: async () => (await import('./search.ts')).bench(),
  },
  {
    name: 'loop',
    summary: 'a repair round without model and tests, and a run of 10,000 events taken up',
    run: async () => (await import('./loop.ts')).bench(),
  },
  {
    name: 'model',
    summary: 'packing failures, and the way to the first call of a model',
    run: async () => (await import('./model.ts')).bench(),
  },
  {
    name: 'kernel',
    summary: 'cells in a kernel against nbclient (with --peers PREFIX and --notebooks PATH)',
    run: async () =>
      (await import('./kernel.ts')).bench({ peers: values.peers ?? '', notebooks: values.notebooks ?? '' }),
  },
  {
    name: 'analysis',
    summary: 'what each of 1,000 cells of an analysis costs besides its own code',
    run: async () => (await import('./analysis.ts')).bench(),
  },
  {
    name: 'crash',
    summary: '100 runs killed at random instants and taken up again',
    run: async () => (await import('./crash.ts')).bench(),
  },
  {
    name: 'quixbugs',
    summary: 'the 40 QuixBugs programs in Python (needs --quixbugs PATH)',
    run: async () => (await import('./quixbugs.ts')).bench(values.quixbugs ?? ''),
  },
];

const page = path.resolve(import.meta.dirname, '../docs/benchmarks.md');

function wanted(): Bench[] {
  const names = values.only?.split(',');
  const unknown = names?.find((name) => !benches.some((bench) => bench.name === name));
  if (unknown !== undefined) {
    process.stderr.write(`no benchmark '${unknown}': ${benches.map((bench) => bench.name).join(', ')}\n`);
    process.exit(2);
  }
  return benches.filter((bench) =>
    names ? names.includes(bench.name) : bench.name !== 'quixbugs' || values.quixbugs !== undefined,
  );
}

function machine(): string {
  const cpu = os.cpus()[0]?.model.trim() ?? 'unknown processor';
  const memory = Math.round(os.totalmem() / 2 ** 30);
  return `${cpu}, ${os.availableParallelism()} cores, ${memory} GiB, ${os.type()} ${os.release()}, Node ${process.version}, load average ${(os.loadavg()[0] ?? 0).toFixed(1)}`;
}

/** The sections of the page as it stands, by title. */
function sections(): Map<string, string[]> {
  const found = new Map<string, string[]>();
  if (!existsSync(page)) return found;
  let title = '';
  for (const line of readFileSync(page, 'utf8').split('\n')) {
    if (line.startsWith('## ')) title = line.slice(3);
    if (title) found.set(title, [...(found.get(title) ?? []), line]);
  }
  return found;
}

function save(section: Section): void {
  const all = sections();
  const measured = `Measured ${new Date().toISOString().slice(0, 10)} on ${machine()}.`;
  all.set(section.title, [`## ${section.title}`, '', measured, '', ...section.lines, '']);
  const head = [
    '# Benchmarks',
    '',
    'Written by `npm run bench` (`bench/run.ts`). Every comparison is taken side by side in one run, so read the',
    "ratios; the milliseconds are this machine's. Nothing here is a timed test.",
    '',
  ];
  const body = [...all.values()].map((lines) => lines.join('\n').trimEnd());
  writeFileSync(page, `${[...head, body.join('\n\n')].join('\n')}\n`);
}

if (values.list) {
  for (const bench of benches) process.stdout.write(`${bench.name.padEnd(10)} ${bench.summary}\n`);
} else {
  for (const bench of wanted()) {
    process.stderr.write(`bench ${bench.name}: ${bench.summary}\n`);
    const section = await bench.run();
    save(section);
    process.stdout.write(`## ${section.title}\n${section.lines.join('\n')}\n\n`);
  }
}
