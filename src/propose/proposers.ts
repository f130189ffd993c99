import path from 'node:path';
import { AssayError, type ModelSettings } from '../core/index.ts';
import {
  checkModelId,
  createModel,
  type Model,
  modelProposer,
  priceOf,
  replayModel,
  retryingModel,
} from './model/index.ts';
import { parseRecording, readRecordingText, replayProposer } from './replay/index.ts';
import { searchProposer } from './search/index.ts';
import type { Proposer } from './types.ts';

/** What the process around a run hands to the proposer it makes. */
export type ProposerContext = {
  /** Absolute; relative files in an id are meant from here. */
  cwd: string;
  /** Replies this run has had already, when it is resumed. Default 0. */
  alreadyProposed?: number;
  /** The calls that this run has had already of each model, by its id, as journaled. Default: none. */
  alreadyCalled?: Readonly<Record<string, readonly string[]>>;
  /** Where the keys of models come from. Default: there is none. */
  env?: Readonly<Record<string, string | undefined>>;
  /** How models are asked. Default: `defaultModelSettings`. */
  model?: ModelSettings | null;
  /** Put around each model that will be called, e.g. to record it; a replayed one is not. */
  around?: (model: Model) => Model;
};

export const defaultModelSettings: ModelSettings = {
  baseUrl: null,
  transport: 'auto',
  prices: {},
  contextTokens: null,
  maxOutputTokens: 16_000,
};

/** One kind of proposer: how its ids look, and how one is made. */
export type ProposerKind = {
  /** As shown to the user, e.g. `replay:FILE`. */
  form: string;
  summary: string;
  /** The variable part of an id of this kind (empty where there is none), or null for an id of another kind. */
  match(id: string): string | null;
  create(argument: string, context: ProposerContext): Proposer | Promise<Proposer>;
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
    create: replay,
  },
  {
    form: 'PROVIDER/MODEL',
    summary: 'asks a model of openai, anthropic, google, or openai-compatible with --base-url',
    match: (id) => (isModel(id) ? id : null),
    create: ask,
  },
];

function ask(id: string, context: ProposerContext): Proposer {
  const { env = {}, around = (model) => model } = context;
  const settings = context.model ?? defaultModelSettings;
  const model = createModel({ id, env, baseUrl: settings.baseUrl ?? undefined });
  return modelProposer({ model: around(retryingModel(model)), settings, env });
}

/** A recording of proposals, or one of what a model said: that is read again as the model's replies would be. */
async function replay(file: string, context: ProposerContext): Promise<Proposer> {
  const { cwd, env = {}, alreadyProposed = 0, alreadyCalled = {} } = context;
  const text = readRecordingText(path.resolve(cwd, file));
  const by = recordedModel(text);
  if (by === null) {
    const { replies } = parseRecording(text, path.basename(file));
    return replayProposer({ replies, alreadyProposed, id: `replay:${file}` });
  }
  const model = await replayModel({ text, given: alreadyCalled[by] ?? [] });
  const settings = context.model ?? defaultModelSettings;
  // Nothing is paid now: it counts what it cost then, where that is known.
  const price = priceOf({ id: by, overrides: settings.prices }) ?? { input: 0, output: 0 };
  return modelProposer({ model, settings, env, price });
}

/** Whose replies the recording holds, or null for one of proposals. */
function recordedModel(text: string): string | null {
  try {
    const { schema, recorded } = JSON.parse(text.slice(0, text.indexOf('\n')));
    return schema === 'assay-model-replay/1' && typeof recorded?.by === 'string' ? recorded.by : null;
  } catch {
    return null;
  }
}

/**
 * Makes the proposer that `id` names, as given to `--model`.
 * @throws AssayError `usage` for an unknown id, and what the kind itself throws.
 */
export async function createProposer(id: string, context: ProposerContext): Promise<Proposer> {
  for (const kind of proposers) {
    const argument = kind.match(id);
    if (argument !== null) return kind.create(argument, context);
  }
  checkModelId(id);
  throw new AssayError({
    code: 'usage',
    message: `There is no proposer '${id}'`,
    fix: `use one of: ${proposers.map(({ form, summary }) => `${form} (${summary})`).join(', ')}`,
  });
}

/** The ids of a chain of proposers, which take over from one another: `search,anthropic/claude-sonnet-4-5`. */
const idsOf = (chain: string): string[] => chain.split(',').map((id) => id.trim());

/** Those of a chain that are models, as `provider/model`. */
export const modelsOf = (chain: string): string[] => idsOf(chain).filter(isModel);

const isModel = (id: string) => id.includes('/') && !id.startsWith('replay:');

/** One that a server of the user's own, or any other that speaks as OpenAI's does, is asked for. */
export const isCompatible = (id: string) => id.startsWith('openai-compatible/');

export type ChainContext = Omit<ProposerContext, 'alreadyProposed'> & {
  /** How many replies a run that is resumed has had of each. Default: none. */
  replies?: readonly number[];
};

/** Makes all proposers of a chain, in its order. */
export async function createProposers(chain: string, context: ChainContext): Promise<Proposer[]> {
  const { replies = [], model = null, ...shared } = context;
  const made: Proposer[] = [];
  for (const [at, id] of idsOf(chain).entries()) {
    const settings = model && { ...model, baseUrl: baseUrlFor(id, chain, model) };
    made.push(await createProposer(id, { ...shared, model: settings, alreadyProposed: replies[at] ?? 0 }));
  }
  return made;
}

/** Beside a compatible server, which needs it, no other provider is asked at the base URL: its key stays away. */
function baseUrlFor(id: string, chain: string, { baseUrl }: ModelSettings): string | null {
  return isCompatible(id) || !modelsOf(chain).some(isCompatible) ? baseUrl : null;
}
