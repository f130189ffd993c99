/**
 * QuixBugs in Python, from a checkout that stays outside the project: each program becomes a little pytest project,
 * half of its cases stay held out, and the real command line repairs it. Run alone:
 * `node bench/quixbugs.ts --dir PATH [--only NAME,NAME]`.
 */
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { parseArgs } from 'node:util';
import { type RepairResult, repairResultSchema } from '../src/core/index.ts';
import { median } from './median.ts';
import { layOut, programsOf, type Split } from './quixbugs/layout.ts';
import type { Section } from './run.ts';

const root = path.resolve(import.meta.dirname, '..');
const python = path.join(root, '.venv/bin/python');

type Repaired = { program: string; split: Split; wallMs: number; result: RepairResult };

/** Repairs every program of the checkout at `quixbugs`, one after the other. */
export async function bench(quixbugs: string, only?: readonly string[]): Promise<Section> {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'assay-quixbugs-'));
  try {
    const all: Repaired[] = [];
    for (const program of programsOf(quixbugs).filter((name) => only?.includes(name) ?? true)) {
      const repaired = await repair({ quixbugs, program, folder });
      all.push(repaired);
      const { result, wallMs } = repaired;
      process.stderr.write(
        `${program}: ${kindOf(result)}, ${(wallMs / 1000).toFixed(1)} s, ${result.reason}\n`,
      );
    }
    return { title: 'QuixBugs: 40 Python programs, no model', lines: summary(all) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function repair(options: { quixbugs: string; program: string; folder: string }): Promise<Repaired> {
  const { quixbugs, program, folder } = options;
  const dir = path.join(folder, program);
  mkdirSync(dir);
  const split = layOut({ quixbugs, program, into: dir, python, seconds: 3 });
  const startedMs = performance.now();
  const args = ['fix', dir, '--holdout', 'tests/test_heldout.py', '--test', `${python} -m pytest`, '--json'];
  const child = spawn(process.execPath, [path.join(root, 'src/cli/main.ts'), ...args], {
    env: { ...process.env, ASSAY_HOME: path.join(folder, 'home') },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const stdout = await text(child.stdout);
  const wallMs = performance.now() - startedMs;
  return { program, split, wallMs, result: repairResultSchema.parse(JSON.parse(stdout)) };
}

/** `overfit`: a patch passed what the proposer saw, and the held-out half refused it. */
function kindOf({ status, confirmations }: RepairResult): 'found' | 'overfit' | 'missed' {
  if (status === 'done') return 'found';
  return confirmations > 0 ? 'overfit' : 'missed';
}

function summary(all: readonly Repaired[]): string[] {
  const of = (kind: ReturnType<typeof kindOf>) => all.filter(({ result }) => kindOf(result) === kind);
  const [found, overfit, missed] = [of('found'), of('overfit'), of('missed')];
  const seconds = (some: readonly Repaired[]) =>
    `${(median(some.map(({ wallMs }) => wallMs)) / 1000).toFixed(1)} s`;
  const cases = all.map(({ split }) => split);
  const count = (part: 'visible' | 'heldOut' | 'left') =>
    cases.reduce((sum, split) => sum + split[part].length, 0);
  return [
    `**${found.length} of ${all.length}** end \`done\`: every visible test passes, and every held-out one. Median wall time`,
    `${seconds(all)} (of those found ${seconds(found)}), start of the process to its end. Targets: 30 of 40, 8 s.`,
    '',
    `Failing and passing cases are dealt out separately, in file order, in turn to the visible and the held-out half:`,
    `${count('visible')} visible, ${count('heldOut')} held out, ${count('left')} left out (the correct program does not pass them in time).`,
    '',
    `Overfit (a patch passed the visible half, the held-out half refused it): ${names(overfit)}.`,
    `Missed: ${names(missed)}.`,
    '',
    '| program | end | wall | candidates | patch |',
    '|---|---|---:|---:|---|',
    ...all.map(row),
  ];
}

const names = (some: readonly Repaired[]) => some.map(({ program }) => program).join(', ') || 'none';

function row({ program, result, wallMs }: Repaired): string {
  const tried = result.usage.candidates;
  return `| ${program} | ${kindOf(result)} | ${(wallMs / 1000).toFixed(1)} s | ${tried} | ${result.motivation?.split(': run by ')[0]?.replaceAll('|', '\\|') ?? ''} |`;
}

if (process.argv[1] === import.meta.filename) {
  const { values } = parseArgs({ options: { dir: { type: 'string' }, only: { type: 'string' } } });
  if (values.dir === undefined) {
    process.stderr.write('give the checkout: node bench/quixbugs.ts --dir PATH\n');
    process.exit(2);
  }
  const { title, lines } = await bench(values.dir, values.only?.split(','));
  process.stdout.write(`## ${title}\n\n${lines.join('\n')}\n`);
}
