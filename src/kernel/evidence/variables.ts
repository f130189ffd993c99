import type { CellEvidence, CellResult, Variable } from '../../core/index.ts';
import type { Kernel } from '../types.ts';
import { type Looked, PythonProbe } from './python-probe.ts';

export type VariableChanges = {
  /** null where nobody can tell: another language, or a kernel that does not answer. */
  variables: CellEvidence['variables'];
  /** Figures saved to files since the last look, as the probe notes them. */
  saved: unknown[];
  /** Code points that figures since the last look lack a picture for. */
  glyphs: number[];
  warnings: string[];
};

export type VariableWatch = {
  /** Puts the probe into the kernel: once it is open, and after each restart. Never rejects; returns warnings. */
  install(): Promise<string[]>;
  /** What has changed since the last call. Never rejects. */
  changes(): Promise<VariableChanges>;
  /** A result with what threads put out while the kernel was looked at after it. */
  withStrays(result: CellResult): CellResult;
  /** As of the last call, by name. */
  readonly current: readonly Variable[];
};

/**
 * Watches a Python kernel's variables; of other languages nothing is known, which is said once. A change is one of
 * content, be it in place: a list, dict, array, frame, function, or an object's own attributes. A value too large to be
 * read within some tens of milliseconds is sampled over its whole length, so that a change in few places of it may go
 * unseen; one that was not changed is never told as changed for that.
 */
export function probeVariables(kernel: Kernel, options: { deadlineMs?: number } = {}): VariableWatch {
  const { language } = kernel.info;
  return language === 'python' ? pythonVariables(kernel, options) : noVariables(language);
}

function noVariables(language: string): VariableWatch {
  return {
    install: async () => [
      `The variables of a kernel of ${language} and the series of its figures are not looked at: only those of Python are.`,
    ],
    changes: async () => ({ variables: null, saved: [], glyphs: [], warnings: [] }),
    withStrays: (result) => result,
    current: [],
  };
}

function pythonVariables(kernel: Kernel, options: { deadlineMs?: number }): VariableWatch {
  const probe = new PythonProbe({ kernel, ...options });
  let known = new Map<string, Looked>();
  /** What a fresh kernel holds, in words: of another fresh kernel in its place it is no change. */
  let ground: Map<string, string> | null = null;
  return {
    async install() {
      ground = null;
      const problem = await probe.install();
      return problem === null ? [] : [notLooked(problem)];
    },
    async changes() {
      const look = await probe.look();
      if ('problem' in look)
        return { variables: null, saved: [], glyphs: [], warnings: [notLooked(look.problem)] };
      const before = known;
      known = look.variables;
      ground ??= new Map([...known].map(([name, { variable }]) => [name, JSON.stringify(variable)]));
      const warnings = look.more === 0 ? [] : [`${look.more} variables more were not looked at.`];
      const { saved, glyphs } = look;
      return { variables: compare({ before, now: known, ground }), saved, glyphs, warnings };
    },
    withStrays: (result) => probe.strays.giveTo(result),
    get current() {
      return [...known.values()].map(({ variable }) => variable);
    },
  };
}

function notLooked(problem: string): string {
  return `The variables could not be looked at: ${problem}`;
}

function compare(options: {
  before: Map<string, Looked>;
  now: Map<string, Looked>;
  ground: Map<string, string>;
}): CellEvidence['variables'] {
  const { before, now, ground } = options;
  const created: Variable[] = [];
  const changed: Variable[] = [];
  for (const [name, { variable, mark }] of now) {
    const old = before.get(name);
    if (old === undefined) created.push(variable);
    else if (differ(old, { variable, mark }) && ground.get(name) !== JSON.stringify(variable))
      changed.push(variable);
  }
  return { created, changed, deleted: [...before.keys()].filter((name) => !now.has(name)) };
}

/** Of a value that was read as a whole then and is glanced at now, or the other way round, the marks say nothing. */
function differ(old: Looked, now: Looked): boolean {
  const [oldDepth, nowDepth] = [old.mark, now.mark].map((mark) => mark.split(' ', 1)[0]);
  if (oldDepth === nowDepth) return old.mark !== now.mark;
  const [before, after] = [old.variable, now.variable].map(({ type, shape, repr }) => [type, shape, repr]);
  return JSON.stringify(before) !== JSON.stringify(after);
}
