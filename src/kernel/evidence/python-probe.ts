import { readFileSync } from 'node:fs';
import { z } from 'zod';
import type { CellResult, Variable } from '../../core/index.ts';
import type { ExecuteOptions, Kernel } from '../types.ts';
import { Strays } from './strays.ts';

/** A variable and what tells a change of it, be it in place: equal marks mean that no change was seen. */
export type Looked = { variable: Variable; mark: string };

export type Look = {
  variables: Map<string, Looked>;
  /** Variables that were too many to look at. */
  more: number;
  /** Figures saved to files since the last look, as the probe notes them. */
  saved: unknown[];
  /** Code points that figures since the last look lack a picture for. */
  glyphs: number[];
};

const lookType = 'application/vnd.assay.look+json';

const lookSchema = z.object({
  variables: z.record(
    z.string(),
    z.tuple([z.string(), z.array(z.number().int().nonnegative()).nullable(), z.string(), z.string()]),
  ),
  more: z.number().int().nonnegative(),
  saved: z.array(z.unknown()),
  glyphs: z.array(z.number().int().nonnegative()),
});

/** In the order in which they import one another. */
const modules = [
  'assay_kinds',
  'assay_lines',
  'assay_marks',
  'assay_variables',
  'assay_figures',
  'assay_evidence',
] as const;

/** What a look may take after one that took too long: not every cell shall pay for a value that cannot be looked at. */
const slowMs = 2_000;

/** The code of assay that looks at a Python kernel from inside, between cells, and leaves no name of its own there. */
export class PythonProbe {
  readonly #kernel: Kernel;
  readonly #options: ExecuteOptions;
  readonly strays = new Strays();
  /** The last look did not come to its end. */
  #isSlow = false;

  /** @param options.deadlineMs of one look, default 20 s: sooner than any person gives up */
  constructor(options: { kernel: Kernel; deadlineMs?: number }) {
    this.#kernel = options.kernel;
    this.#options = { storeHistory: false, deadlineMs: options.deadlineMs ?? 20_000 };
  }

  /** Puts the probe into a kernel that was just started. Twice is once. Returns what went wrong, if anything. */
  async install(): Promise<string | null> {
    const result = await this.#kernel.execute(installCode(), this.#options);
    this.strays.take(result, () => false);
    return problemOf(result);
  }

  /** What the kernel holds now; why nobody can tell, where that is so. */
  async look(): Promise<Look | { problem: string }> {
    const first = await this.#lookOnce();
    // A second look would take as long.
    if (first === null && this.#isSlow) return { problem: 'the kernel takes too long to tell what it holds' };
    if (first !== null) return first;
    // A kernel that was started anew has no probe yet.
    const problem = await this.install();
    if (problem !== null) return { problem };
    return (await this.#lookOnce()) ?? { problem: 'the kernel does not answer what it holds' };
  }

  async #lookOnce(): Promise<Look | null> {
    const { deadlineMs = slowMs } = this.#options;
    const allowed = this.#isSlow ? Math.min(slowMs, deadlineMs) : deadlineMs;
    const result = await this.#kernel.execute(lookCode, { ...this.#options, deadlineMs: allowed });
    this.#isSlow = result.end.status === 'timeout';
    let look: Look | null = null;
    this.strays.take(result, (output) => {
      if (!('data' in output)) return false;
      const parsed = lookSchema.safeParse(output.data[lookType]);
      if (parsed.success) look ??= lookOf(parsed.data);
      return parsed.success;
    });
    return look;
  }
}

/** `globals` in full: the user may have given any short name another meaning. */
const lookCode = "__import__('sys').modules['assay_evidence'].look()";

function installCode(): string {
  const sources = Object.fromEntries(
    modules.map((name) => [name, readFileSync(new URL(`./python/${name}.py`, import.meta.url), 'utf8')]),
  );
  const loader = [
    'import sys, types',
    "if 'assay_evidence' not in sys.modules:",
    '    for name, source in sources.items():',
    '        module = sys.modules[name] = types.ModuleType(name)',
    "        exec(compile(source, '<' + name + '>', 'exec'), module.__dict__)",
    '    module.install()',
  ].join('\n');
  // A JSON text of ASCII is a Python literal as well.
  return `exec(${ascii(loader)}, {'sources': ${ascii(sources)}})`;
}

function ascii(value: unknown): string {
  return JSON.stringify(value).replace(
    /[\u007f-\uffff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

function problemOf({ end }: CellResult): string | null {
  switch (end.status) {
    case 'ok':
      return null;
    case 'error':
      return `${end.ename}: ${end.evalue}`;
    case 'timeout':
      return `it took more than ${end.deadlineMs / 1000} s`;
    case 'died':
    case 'unavailable':
      return end.detail;
    case 'interrupted':
    case 'aborted':
      return `it was ${end.status}`;
  }
}

function lookOf({ variables, ...look }: z.infer<typeof lookSchema>): Look {
  const looked = Object.entries(variables).map(([name, [type, shape, repr, mark]]): [string, Looked] => [
    name,
    { variable: { name, type, shape, repr }, mark },
  ]);
  return { variables: new Map(looked), ...look };
}
