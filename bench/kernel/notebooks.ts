import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Output } from '../../src/core/index.ts';
import type { Kernel } from '../../src/kernel/index.ts';

/** The notebooks whose stored outputs nbclient's own test compares, but for those that need ipywidgets. */
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

export type Compared = { name: string; cells: number; difference: string | null };

/** Runs each notebook of `folder` in a kernel of its own and compares what comes out with what is stored in it. */
export async function compareNotebooks(folder: string, open: () => Promise<Kernel>): Promise<Compared[]> {
  const all: Compared[] = [];
  for (const name of names) {
    const kernel = await open();
    try {
      all.push(await compare({ folder, name, kernel }));
    } finally {
      await kernel.close();
    }
  }
  return all;
}

type Cell = {
  cell_type: string;
  source: string | string[];
  metadata?: { tags?: string[] };
  execution_count?: number | null;
  outputs?: Stored[];
};
type Stored = Record<string, unknown>;

async function compare(options: { folder: string; name: string; kernel: Kernel }): Promise<Compared> {
  const { folder, name, kernel } = options;
  const notebook = JSON.parse(readFileSync(path.join(folder, `${name}.ipynb`), 'utf8')) as { cells: Cell[] };
  const picture = path.join(folder, 'python.png');
  if (existsSync(picture)) await kernel.files.write('python.png', readFileSync(picture));
  const made: { cell: Cell; outputs: Output[]; count: number | null }[] = [];
  for (const cell of notebook.cells.filter(({ cell_type }) => cell_type === 'code')) {
    if (isSkipped(cell)) continue;
    const result = await kernel.execute(textOf(cell.source), {
      deadlineMs: name === 'Interrupt' ? 3000 : 60_000,
    });
    for (const update of result.updates ?? [])
      for (const output of made.flatMap((earlier) => earlier.outputs))
        if ('displayId' in output && output.displayId === update.displayId) Object.assign(output, update);
    made.push({ cell, outputs: result.outputs, count: result.executionCount });
  }
  for (const [index, { cell, outputs, count }] of made.entries()) {
    const [wanted, got] = [cell.outputs ?? [], outputs].map((list) =>
      JSON.stringify([list.map((output) => normal(output as Stored)), 0]),
    );
    const counts = `${cell.execution_count ?? null} and ${count}`;
    if (wanted !== got)
      return { name, cells: made.length, difference: `cell ${index + 1}: ${wanted} but ${got}` };
    if (cell.execution_count !== count)
      return { name, cells: made.length, difference: `cell ${index + 1}: counts ${counts}` };
  }
  return { name, cells: made.length, difference: null };
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
