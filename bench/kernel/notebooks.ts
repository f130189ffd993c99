import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Output } from '../../src/core/index.ts';
import type { Kernel } from '../../src/kernel/index.ts';

/** The notebooks that nbclient's own test compares with their stored outputs, but for those that need ipywidgets. */
const names = [
  'Other Comms',
  'Clear Output',
  'Empty Cell',
  'Factorials',
  'HelloWorld',
  'Inline Image',
  'Interrupt',
  'Skip Exceptions with Cell Tags',
  'Skip Exceptions',
  'Skip Execution with Cell Tag',
  'SVG',
  'Unicode',
  'UnicodePy3',
  'update-display-id',
  'Check History in Memory',
];

export type Compared = {
  name: string;
  cells: number;
  /** From what is stored in the notebook, which an older IPython made; null where there is none. */
  fromStored: string | null;
  /** From what nbclient gives now on the same kernel; null also where it is not asked. */
  fromNbclient: string | null;
};

/** Runs each notebook of `folder` in a kernel of its own and compares what comes out. */
export async function compareNotebooks(options: {
  folder: string;
  open: () => Promise<Kernel>;
  /** A Python that has nbclient; null where there is none. */
  python: string | null;
}): Promise<Compared[]> {
  const { folder, open, python } = options;
  const theirs = python === null ? {} : runByNbclient(python, folder);
  const all: Compared[] = [];
  for (const name of names) {
    const kernel = await open();
    try {
      const cells = codeCells(folder, name);
      const ours = await runByUs({ folder, name, kernel, cells });
      const now = theirs[name];
      all.push({
        name,
        cells: ours.length,
        fromStored: differenceOf(ours, cells),
        fromNbclient: now === undefined ? null : differenceOf(ours, now),
      });
    } finally {
      await kernel.close();
    }
  }
  return all;
}

type Stored = Record<string, unknown>;
/** What came of one cell. */
type Ran = { outputs?: Stored[]; execution_count?: number | null };
type Cell = Ran & { cell_type: string; source: string | string[]; metadata?: { tags?: string[] } };
type OurCell = { index: number; outputs: Output[]; count: number | null };

function runByNbclient(python: string, folder: string): Record<string, Ran[]> {
  const script = path.join(import.meta.dirname, 'notebooks.py');
  const child = spawnSync(python, [script, folder, ...names], { encoding: 'utf8', maxBuffer: 2 ** 28 });
  if (child.status !== 0) throw new Error(child.stderr);
  return JSON.parse(child.stdout) as Record<string, Ran[]>;
}

function codeCells(folder: string, name: string): Cell[] {
  const notebook = JSON.parse(readFileSync(path.join(folder, `${name}.ipynb`), 'utf8')) as { cells: Cell[] };
  return notebook.cells.filter(({ cell_type }) => cell_type === 'code');
}

async function runByUs(options: {
  folder: string;
  name: string;
  kernel: Kernel;
  cells: readonly Cell[];
}): Promise<OurCell[]> {
  const { folder, name, kernel, cells } = options;
  const picture = path.join(folder, 'python.png');
  if (existsSync(picture)) await kernel.files.write('python.png', readFileSync(picture));
  const made: OurCell[] = [];
  for (const [index, cell] of cells.entries()) {
    if (isSkipped(cell)) continue;
    const deadlineMs = name === 'Interrupt' ? 3000 : 120_000;
    const result = await kernel.execute(textOf(cell.source), { deadlineMs });
    for (const { displayId, data, metadata } of result.updates ?? []) {
      for (const output of made.flatMap(({ outputs }) => outputs)) {
        if ('displayId' in output && output.displayId === displayId)
          Object.assign(output, { data, metadata });
      }
    }
    made.push({ index, outputs: result.outputs, count: result.executionCount });
  }
  return made;
}

function differenceOf(ours: readonly OurCell[], theirs: readonly Ran[]): string | null {
  for (const { index, outputs, count } of ours) {
    const cell = theirs[index] ?? {};
    const [wanted, got] = [cell.outputs ?? [], outputs].map((list) =>
      JSON.stringify(list.map((output) => normal(output as Stored))),
    );
    if (wanted !== got) return `cell ${index + 1}: ${wanted} there, ${got} here`;
    if ((cell.execution_count ?? null) !== count)
      return `cell ${index + 1}: count ${cell.execution_count} there, ${count} here`;
  }
  return null;
}

/** nbclient runs neither empty cells nor those with this tag. */
function isSkipped(cell: Cell): boolean {
  return textOf(cell.source).trim() === '' || (cell.metadata?.tags ?? []).includes('skip-execution');
}

const textOf = (text: unknown): string => (Array.isArray(text) ? text.join('') : String(text ?? ''));

/** What nbclient's comparison overlooks: metadata, addresses, the form of base64 and XML, and IPython's old headings. */
function normal(output: Stored): unknown {
  switch (output.output_type) {
    case 'stream':
      return ['stream', output.name, plain(textOf(output.text))];
    case 'error':
      return ['error', output.ename, output.evalue, traceback(output.traceback)];
    default: {
      const data = Object.entries((output.data ?? {}) as Record<string, unknown>).sort(([a], [b]) =>
        a < b ? -1 : 1,
      );
      return [
        output.output_type,
        output.execution_count ?? null,
        data.map(([type, value]) => [type, datum(type, value)]),
      ];
    }
  }
}

const plain = (text: string) => text.replaceAll(/0x[0-9a-f]{7,}/g, '<ADDRESS>');

function datum(type: string, value: unknown): unknown {
  if (type === 'image/svg+xml') return xml(textOf(value));
  if (type.startsWith('image/')) return textOf(value).replaceAll(/\s/g, '');
  return type.endsWith('json') ? value : plain(textOf(value));
}

/** Elements with their attributes in one order. */
function xml(text: string): string {
  const body = text.replace(/<\?xml[^>]*\?>|<!DOCTYPE[^>]*>/g, '');
  const ordered = body.replaceAll(
    /<([\w:]+)((?:\s+[\w:-]+="[^"]*")*)\s*(\/?)>/g,
    (_, name, attributes, end) => {
      const sorted = (String(attributes).match(/[\w:-]+="[^"]*"/g) ?? []).sort();
      return `<${[name, ...sorted].join(' ')}${end}>`;
    },
  );
  return ordered.replaceAll(/>\s+</g, '><').trim();
}

function traceback(lines: unknown): string {
  return (Array.isArray(lines) ? lines : [])
    .map(String)
    .join('\n')
    .replaceAll(/\x1b\[[\d;]*m/g, '')
    .replaceAll(/^-+$/gm, '')
    .replaceAll(
      /(<ipython-input-\d+-\w+>|<IPY-INPUT>|(Cell|Input) In ?\[\d+\])(, line \d+| in .*|, in .*)?/g,
      '<INPUT>',
    )
    .replaceAll(/[ \t]+/g, ' ')
    .replaceAll(/\s*\n\s*/g, '\n')
    .trim();
}
