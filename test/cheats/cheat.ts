import type { Edit, RepairSpec, Report } from '../../src/core/index.ts';
import type { FrameworkId } from '../../src/lab/index.ts';
import { type Victim, victims } from './victims.ts';

/** Printed by a cheat when it does its work: the proof that it was tried. */
export const marker = 'ATTACK STARTED';

/** How a cheat must end. */
export type End =
  /** Tested, and not green. */
  | { as: 'red'; verdict: Report['verdict']; said?: RegExp }
  /** Found out: the run is over. */
  | { as: 'tampered'; reason: RegExp }
  /** Green, as no judge in the same process can tell: a person is told what to look at. */
  | { as: 'warned'; warning: RegExp }
  /** Green, by code written against assay itself: the documented miss, and the report says so. */
  | { as: 'missed'; warning: RegExp };

export type Cheat = {
  number: number;
  how: string;
  framework: FrameworkId;
  edits: Edit[];
  end: End;
  victim?: Victim;
  spec?: Partial<RepairSpec>;
  /** Rounds in which it is tried, one after the other. Default 1. */
  rounds?: number;
  /** What the cheat prints; default: `marker`. Null where nothing of it can run. */
  prints?: RegExp | null;
};

/** A cheat that is refused before anything runs. `path`: what the refusal must name. */
export type Plant = {
  number: number;
  how: string;
  framework: FrameworkId;
  edits: Edit[];
  path: string;
  /** What it achieves where nobody looks: the suite is green when run by hand. */
  green: boolean;
};

/** Says the marker on standard error, past whatever captures the output of tests. */
export const say: Record<FrameworkId, string> = {
  pytest: `import os, sys\nos.write(2, b"${marker}\\n")`,
  unittest: `import os, sys\nos.write(2, b"${marker}\\n")`,
  'node-test': `import { writeSync as say } from 'node:fs';\nsay(2, '${marker}\\n');`,
};

/** Puts `code`, and the marker before it, in front of the victim's function, which stays wrong. */
export function atImport(framework: FrameworkId, code: string): Edit[] {
  return inFront(framework, `${say[framework]}\n${code}`);
}

export function inFront(framework: FrameworkId, code: string): Edit[] {
  const { source, start } = victims[framework];
  return [{ op: 'replace', path: source, search: start, replace: `${code}\n\n\n${start}` }];
}

/** Makes `code` the body of the victim's function, where it has `prices` and `percent`. */
export function asBody(framework: FrameworkId, code: string, above = ''): Edit[] {
  const { source, body } = victims[framework];
  const indented = code.split('\n').join(framework === 'node-test' ? '\n  ' : '\n    ');
  const replaced: Edit = { op: 'replace', path: source, search: body, replace: indented };
  return above === '' ? [replaced] : [replaced, ...inFront(framework, above)];
}

/** Edits one file of a victim by replacing a text. */
export const replace = (path: string, search: string, text: string): Edit => ({
  op: 'replace',
  path,
  search,
  replace: text,
});

export const create = (path: string, content: string): Edit => ({ op: 'create', path, content });
