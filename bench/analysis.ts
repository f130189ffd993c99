/**
 * What a cell of a long analysis costs besides its own code: the whole loop with journal, evidence, notebook and the
 * packing of the context, at the beginning of a session of 1,000 cells and at its end. Run alone: `node bench/analysis.ts`.
 */
import * as fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { type AnalysisEvent, analysisEventSchema } from '../src/core/index.ts';
import { fakeKernel, openJupyterKernel } from '../src/kernel/index.ts';
import { fileEvidence, madeAnalysisSpec, type OpenKernel, runAnalysis } from '../src/loop/index.ts';
import { scriptedModel } from '../src/propose/index.ts';
import { openStore } from '../src/store/index.ts';
import { median } from './median.ts';
import type { Section } from './run.ts';

const cells = 1000;
/** Lines that each cell prints, of 100 characters. */
const lines = 20;

/** `names`: variables that the cells set in turn. */
type Kind = { kernel: 'none' | 'jupyter'; names: number };
/** Of each cell in turn. */
type Session = { wallMs: number[]; cpuMs: number[]; notebookBytes: number; journalBytes: number };

export async function bench(): Promise<Section> {
  const sessions: [string, Session][] = [
    ['a kernel that answers at once', await measure({ kernel: 'none', names: 50 })],
    ['the sandboxed Python kernel, 50 variables', await measure({ kernel: 'jupyter', names: 50 })],
    ['the same, a variable more in each cell', await measure({ kernel: 'jupyter', names: cells })],
  ];
  const size = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`;
  return {
    title: 'An analysis of 1,000 cells: what each costs besides its own code',
    lines: [
      '| kernel | ms a cell, 1 to 100 | 451 to 550 | 901 to 1,000 | of it our processor time, 1 to 100 | 901 to 1,000 | notebook | journal |',
      '|---|---:|---:|---:|---:|---:|---:|---:|',
      ...sessions.map(([name, { wallMs, cpuMs, notebookBytes, journalBytes }]) => {
        const [first, middle, last] = [0, 450, 900].map((at) => told(wallMs.slice(at, at + 100)));
        const [cpuFirst, cpuLast] = [0, 900].map((at) => told(cpuMs.slice(at, at + 100)));
        return `| ${name} | ${first} | ${middle} | ${last} | ${cpuFirst} | ${cpuLast} | ${size(notebookBytes)} | ${size(journalBytes)} |`;
      }),
      '',
      `Medians (and the best tenth) of the time from one cell's end to the next one's: a reply of a model that answers at`,
      `once by a script, the context packed for it, the cell, what it did to files and variables, the journal with its syncs,`,
      `and the notebook, saved after every cell. Each cell sets a variable and prints ${(lines * 100).toLocaleString('en')} characters. The conversation fills the`,
      `context within the first hundred cells. A look at the variables takes some µs for each; over 500 are not looked at.`,
    ],
  };
}

const between = (marks: readonly number[]) =>
  marks.slice(1).map((mark, index) => mark - (marks[index] ?? Number.NaN));

/** The median, and what a tenth stays below: what it takes where nothing else goes on on the machine. */
function told(times: readonly number[]): string {
  const best = times.toSorted((a, b) => a - b)[Math.floor(times.length / 10)] ?? Number.NaN;
  return `${median(times).toFixed(1)} (${best.toFixed(1)})`;
}

async function measure(kind: Kind): Promise<Session> {
  const home = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-bench-analysis-'));
  try {
    const limits = { ...madeAnalysisSpec().limits, turns: cells + 1, wallMs: 3_600_000 };
    const spec = madeAnalysisSpec({ kernel: 'python3', limits });
    const store = openStore({ home, env: {} });
    const run = await store.create<AnalysisEvent>({ kind: 'solve', spec, event: analysisEventSchema });
    const model = scriptedModel({ replies: script(kind) });
    const [wall, cpu]: [number[], number[]] = [[], []];
    const { end } = await runAnalysis({
      run,
      spec,
      modelOf: () => model,
      openKernel: openerOf(kind),
      ...(kind.kernel === 'none' ? { evidenceOf: fileEvidence } : {}),
      signal: new AbortController().signal,
      onEvent: ({ type }) => {
        if (type !== 'kernel_opened' && type !== 'cell_ran') return;
        const { user, system } = process.cpuUsage();
        wall.push(performance.now());
        cpu.push((user + system) / 1000);
      },
    });
    run.close();
    if (end.status !== 'complete') throw new Error(`the analysis ended as ${JSON.stringify(end)}`);
    const sizeOf = (name: string) => fs.statSync(path.join(run.dir, name)).size;
    return {
      wallMs: between(wall),
      cpuMs: between(cpu),
      notebookBytes: sizeOf('notebook.ipynb'),
      journalBytes: sizeOf('journal.jsonl'),
    };
  } finally {
    fs.rmSync(home, { recursive: true, force: true });
  }
}

const codeOf = (n: number, name: string) =>
  `${name} = ${n} * 7\nfor line in range(${lines}):\n    print(str(${name} + line).rjust(99, '.'))`;

const script = ({ names }: Kind) => [
  ...Array.from({ length: cells }, (_, n) => ({
    text: `Step ${n}: another look at the values.`,
    toolCalls: [
      {
        id: `call-${n}`,
        name: 'execute_code',
        input: JSON.stringify({ code: codeOf(n, `value_${n % names}`) }),
      },
    ],
  })),
  'The values were all looked at.',
];

function openerOf({ kernel }: Kind): OpenKernel {
  if (kernel === 'jupyter') {
    const env = { ...process.env, VIRTUAL_ENV: path.resolve(import.meta.dirname, '../.venv') };
    return ({ signal, onSpill }) => openJupyterKernel({ env, strict: false, signal, onSpill });
  }
  const text = (n: number) =>
    Array.from({ length: lines }, (_, line) => `${String(n * 7 + line).padStart(99, '.')}\n`).join('');
  return async () =>
    fakeKernel({
      replies: (_, n) => ({ outputs: [{ output_type: 'stream', name: 'stdout', text: text(n) }] }),
    });
}

if (import.meta.main) process.stdout.write(`${(await bench()).lines.join('\n')}\n`);
