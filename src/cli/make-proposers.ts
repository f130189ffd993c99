import { AssayError, type RepairEvent, type RepairSpec } from '../core/index.ts';
import { repliesIn, stagesOf } from '../loop/index.ts';
import {
  createProposers,
  type Model,
  modelsOf,
  type Proposer,
  priceOf,
  recordingModel,
  recordingProposer,
  tookReply,
} from '../propose/index.ts';
import { secretsIn } from '../store/index.ts';
import type { CliContext } from './context.ts';
import { oneLine } from './one-line.ts';
import { openRecording } from './record-file.ts';

export type MakeOptions = {
  /** A file to record to, as given. */
  record?: string | undefined;
  /** What a run that is resumed has in its journal. */
  events?: readonly RepairEvent[];
};

/**
 * The proposers of a run, from its spec and, for models, the keys of this process's environment.
 * @throws AssayError `usage` for an unknown id, a model without a key, a price that is not known where the cost has a
 * limit, a recording that cannot be read or made.
 */
export async function makeProposers(
  context: CliContext,
  spec: RepairSpec,
  { record, events = [] }: MakeOptions,
): Promise<Proposer[]> {
  const { cwd, env, clock } = context;
  const recording = record === undefined ? null : recordingOf(spec, openRecording(cwd, record));
  const proposers = await createProposers(spec.proposer, {
    cwd,
    env,
    model: spec.model,
    replies: repliesIn(events),
    alreadyCalled: callsIn(events),
    around: (model) => {
      const told = announced(context, spec, model);
      if (recording?.of !== 'model') return told;
      const sink = async (line: string) => recording.write(line);
      return recordingModel({ inner: told, sink, secrets: secretsIn(env), now: clock.now });
    },
  });
  if (spec.limits.costUsd !== null) checkPrices(spec, spec.limits.costUsd);
  recording?.make();
  if (recording?.of !== 'proposals') return proposers;
  return proposers.map((inner) => recordingProposer({ inner, clock, sink: recording.write }));
}

/** What a recording is of: where there is a model what it says, so that reading it is replayed too. */
function recordingOf({ proposer }: RepairSpec, file: ReturnType<typeof openRecording>) {
  const models = modelsOf(proposer).length;
  const of = models > 0 ? ('model' as const) : ('proposals' as const);
  if (models > 1 || (models === 0 && stagesOf({ proposer }).length > 1)) {
    throw new AssayError({
      code: 'usage',
      message: `--record records one proposer, and --model ${proposer} names several`,
      fix: 'record each in a run of its own',
    });
  }
  return { ...file, of };
}

/** The requests that each model answered. */
function callsIn(events: readonly RepairEvent[]): Record<string, string[]> {
  const calls: Record<string, string[]> = {};
  for (const event of events) {
    if (event.type !== 'model_called' || !tookReply(event.result)) continue;
    calls[event.model] ??= [];
    calls[event.model]?.push(event.request);
  }
  return calls;
}

/** A limit on the cost means nothing where a price is not known; one that is replayed costs nothing then. */
function checkPrices({ proposer, model }: RepairSpec, limit: number): void {
  const models = modelsOf(proposer);
  const unknown = models.find((id) => priceOf({ id, overrides: model?.prices ?? {} }) === null);
  if (unknown === undefined) return;
  const which = models.length > 1 ? `${unknown}=` : '';
  throw new AssayError({
    code: 'usage',
    message: `--max-cost ${limit} cannot be kept: what ${unknown} costs is not known`,
    fix: `give its price in USD for a million tokens, --price ${which}IN,OUT (0,0 for a model of your own), or as prices in your own configuration (those of a project do not count); or use --max-tokens`,
  });
}

/** Says once who gets the source, before they first do. */
function announced({ terminal }: CliContext, spec: RepairSpec, model: Model): Model {
  let said = false;
  return {
    ...model,
    call: (request, options) => {
      if (!said) terminal.say(oneLine(sentence(model, spec)));
      said = true;
      return model.call(request, options);
    },
  };
}

/** With what it costs, so that a price that is wrong is seen before it counts. */
function sentence({ id, receiver }: Model, { model }: RepairSpec): string {
  const price = priceOf({ id, overrides: model?.prices ?? {} });
  const costs =
    price === null
      ? 'at a price that is not known'
      : `at $${price.input} for a million tokens in and $${price.output} out`;
  return `source of this project now goes to ${receiver}, to be read by ${id} ${costs}`;
}
