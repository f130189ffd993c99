/**
 * One run of a project's tests in the lab, its ids known, against the same tests started by hand with no sandbox, side
 * by side and in turns. Run alone: `node bench/lab.ts`.
 */
import { spawn } from 'node:child_process';
import * as fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { collect, openProject, runLab } from '../src/lab/index.ts';
import { median } from './median.ts';

type Size = { name: string; modules: number; tests: number; rounds: number };

const sizes: Size[] = [
  { name: 'small: 5 modules, 40 tests', modules: 5, tests: 8, rounds: 15 },
  { name: 'middle: 60 modules, 1,200 tests', modules: 60, tests: 20, rounds: 9 },
  { name: 'large: 450 modules, 1,800 tests', modules: 450, tests: 4, rounds: 5 },
];

const own = path.resolve(import.meta.dirname, '../.venv/bin/python');
const python = fs.existsSync(own) ? own : 'python3';

function layOut(dir: string, { modules, tests }: Size): void {
  fs.mkdirSync(path.join(dir, 'pkg'), { recursive: true });
  fs.mkdirSync(path.join(dir, 'tests'));
  fs.writeFileSync(path.join(dir, 'pytest.ini'), '[pytest]\n');
  fs.writeFileSync(path.join(dir, 'pkg', '__init__.py'), '');
  for (let n = 0; n < modules; n++) {
    fs.writeFileSync(path.join(dir, 'pkg', `part_${n}.py`), `def add(a, b):\n    return a + b + ${n}\n`);
    const cases = Array.from(
      { length: tests },
      (_, t) => `\n\ndef test_${t}():\n    assert add(${t}, 1) == ${t + 1 + n}\n`,
    );
    const text = `from pkg.part_${n} import add\n${cases.join('')}`;
    fs.writeFileSync(path.join(dir, 'tests', `test_${n}.py`), text);
  }
}

/** As a user would, byte code of the last run included. */
function byHand(dir: string): Promise<number> {
  const { PYTHONDONTWRITEBYTECODE: _, ...env } = process.env;
  const start = performance.now();
  const child = spawn(python, ['-m', 'pytest'], { cwd: dir, stdio: 'ignore', env });
  return new Promise((resolve, reject) => {
    child.on('exit', (code) =>
      code === 0
        ? resolve(performance.now() - start)
        : reject(new Error(`pytest by hand ended with ${code}`)),
    );
  });
}

async function measure(size: Size): Promise<string> {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-bench-'));
  const scratch = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-bench-'));
  try {
    layOut(dir, size);
    const project = await openProject({ dir, scratch, testCommand: [python, '-m', 'pytest'] });
    const expected = await collect({ project });
    const plain: number[] = [];
    const lab: number[] = [];
    for (let round = 0; round <= size.rounds; round++) {
      const hand = await byHand(dir);
      const start = performance.now();
      const report = await runLab({ project, changes: [], expected });
      const spent = performance.now() - start;
      if (report.verdict !== 'passed') throw new Error(`the lab said ${report.verdict}: ${report.reason}`);
      // The first round fills caches.
      if (round > 0) {
        plain.push(hand);
        lab.push(spent);
      }
    }
    const [hand, inLab] = [median(plain), median(lab)];
    const ratio = inLab / hand;
    const more = inLab - hand;
    const reached = ratio <= 1.15 || more <= 100 ? 'yes' : 'no';
    return `| ${size.name} | ${hand.toFixed(0)} ms | ${inLab.toFixed(0)} ms | ${ratio.toFixed(2)}x | ${more >= 0 ? '+' : ''}${more.toFixed(0)} ms | ${reached} |`;
  } finally {
    for (const folder of [dir, scratch]) fs.rmSync(folder, { recursive: true, force: true });
  }
}

/** The section of docs/benchmarks.md. */
export async function bench(): Promise<{ title: string; lines: string[] }> {
  const rows: string[] = [];
  for (const size of sizes) rows.push(await measure(size));
  return {
    title: 'One pytest run in the lab',
    lines: [
      `Medians of ${sizes.map(({ rounds }) => rounds).join(', ')} rounds, by hand and in the lab in turns, the lab's canaries and the copy of the project included.`,
      'To reach: at most 1.15 times by hand, or 100 ms more, whichever is larger.',
      '',
      '| project | pytest by hand, no sandbox | in the lab | ratio | more | reached |',
      '| --- | ---: | ---: | ---: | ---: | --- |',
      ...rows,
    ],
  };
}

if (process.argv[1] === import.meta.filename) {
  const { title, lines } = await bench();
  process.stdout.write(`## ${title}\n${lines.join('\n')}\n`);
}
