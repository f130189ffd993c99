import path from 'node:path';
import { AssayError } from '../core/index.ts';
import { replayProposer } from './replay/index.ts';
import { searchProposer } from './search/index.ts';
import type { Proposer } from './types.ts';

/** What the process around a run hands to the proposer it makes. */
export type ProposerContext = {
  /** Absolute; relative files in an id are meant from here. */
  cwd: string;
  /** Replies this run has had already, when it is resumed. Default 0. */
  alreadyProposed?: number;
};

/** One kind of proposer: how its ids look, and how one is made. */
export type ProposerKind = {
  /** As shown to the user, e.g. `replay:FILE`. */
  form: string;
  summary: string;
  /** The variable part of an id of this kind (empty where there is none), or null for an id of another kind. */
  match(id: string): string | null;
  create(argument: string, context: ProposerContext): Proposer;
};

/** Every kind there is. A new one is a folder beside this file and one entry here. */
export const proposers: readonly ProposerKind[] = [
  {
    form: 'search',
    summary: 'tries small edits, without a model',
    match: (id) => (id === 'search' ? '' : null),
    create: () => searchProposer(),
  },
  {
    form: 'replay:FILE',
    summary: 'says again what FILE recorded',
    match: (id) => (id.startsWith('replay:') ? id.slice('replay:'.length) : null),
    create: (file, { cwd, alreadyProposed = 0 }) =>
      replayProposer({ file: path.resolve(cwd, file), alreadyProposed, id: `replay:${file}` }),
  },
];

/**
 * Makes the proposer that `id` names, as given to `--model`.
 * @throws AssayError `usage` for an unknown id, and what the kind itself throws.
 */
export function createProposer(id: string, context: ProposerContext): Proposer {
  for (const kind of proposers) {
    const argument = kind.match(id);
    if (argument !== null) return kind.create(argument, context);
  }
  throw new AssayError({
    code: 'usage',
    message: `there is no proposer '${id}'`,
    fix: `use one of: ${proposers.map(({ form, summary }) => `${form} (${summary})`).join(', ')}`,
  });
}
