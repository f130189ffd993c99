import path from 'node:path';
import { type AnalysisEvent, type AnalysisSpec, AssayError } from '../core/index.ts';
import type { ModelOf } from '../loop/index.ts';
import {
  createModel,
  isCompatible,
  type Model,
  priceOf,
  readRecordingText,
  recordingModel,
  replayModel,
  retryingModel,
  tookReply,
} from '../propose/index.ts';
import { printable } from '../sandbox/index.ts';
import { secretsIn } from '../store/index.ts';
import type { CliContext } from './context.ts';
import { openRecording } from './record-file.ts';

export type SolveModelsOptions = {
  /** A file to record to, as given. */
  record?: string | undefined;
  /** What a run that is resumed has in its journal. */
  events?: readonly AnalysisEvent[];
};

const replayForm = 'replay:';
export const isReplay = (id: string) => id.startsWith(replayForm);

/** Every model that an analysis may ask, each once. */
export const modelsIn = ({ model, planModel, subtasks }: AnalysisSpec): string[] => [
  ...new Set([model, planModel, ...subtasks.map((subtask) => subtask.model)].filter((id) => id !== null)),
];

/**
 * The models of an analysis, from its spec and the keys of this process's environment.
 * @throws AssayError `usage` for an id that is none, a model without a key, a price that is not known where the cost has
 * a limit, a recording that cannot be read or made
 */
export async function makeModels(
  context: CliContext,
  spec: AnalysisSpec,
  { record, events = [] }: SolveModelsOptions,
): Promise<ModelOf> {
  const ids = modelsIn(spec);
  const recording = record === undefined ? null : openRecording(context.cwd, record);
  if (recording !== null && (ids.length > 1 || ids.some(isReplay))) throw cannotRecord(ids);
  const made = new Map<string, Model>();
  for (const id of ids) {
    if (isReplay(id)) {
      made.set(id, await replayed(id, events));
      continue;
    }
    const inner = announced(context, spec, retryingModel(createModel(wanted(context, spec, id))));
    made.set(id, recording === null ? inner : recorded(context, inner, recording));
  }
  checkPrices(ids, spec);
  recording?.make();
  return (id) => {
    const model = made.get(id);
    if (model === undefined) throw new Error(`the model ${id} is not in the spec`);
    return model;
  };
}

/** Beside a compatible server, which needs it, no other provider is asked at the base URL: its key stays away. */
function wanted({ env }: CliContext, spec: AnalysisSpec, id: string) {
  const { baseUrl } = spec.settings;
  const own = isCompatible(id) || !modelsIn(spec).some(isCompatible);
  return { id, env, baseUrl: own && baseUrl !== null ? baseUrl : undefined };
}

function recorded(
  { env, clock }: CliContext,
  inner: Model,
  recording: ReturnType<typeof openRecording>,
): Model {
  const sink = async (line: string) => recording.write(line);
  return recordingModel({ inner, sink, secrets: secretsIn(env), now: clock.now });
}

/** Without the replies that this run has had already. */
async function replayed(id: string, events: readonly AnalysisEvent[]): Promise<Model> {
  const file = id.slice(replayForm.length);
  const text = readRecordingText(file);
  const all = await replayModel({ text }).catch((error: unknown) => {
    throw AssayError.is(error) ? notOfModel(file, error) : error;
  });
  const given = events.flatMap((event) => givenBy(event, all.id));
  return given.length === 0 ? all : replayModel({ text, given });
}

/** The request that took a line of the recording. */
function givenBy(event: AnalysisEvent, model: string): string[] {
  if (event.type !== 'model_called' || event.model !== model) return [];
  return tookReply(event.result) ? [event.request] : [];
}

function notOfModel(file: string, error: AssayError): AssayError {
  return new AssayError({
    code: 'usage',
    message: `${path.basename(file)} is no recording of what a model said`,
    because: error.because ?? error.message,
    fix: 'give a file that assay solve --record wrote',
    cause: error,
  });
}

function cannotRecord(ids: readonly string[]): AssayError {
  const replay = ids.find(isReplay);
  return new AssayError({
    code: 'usage',
    message: '--record records what one model says',
    because: replay === undefined ? `this run asks ${ids.join(' and ')}` : `${replay} is a recording already`,
    fix: replay === undefined ? 'record a run that asks one model' : 'leave --record out',
  });
}

/** A limit on the cost means nothing where a price is not known. Of a model that is replayed it counts as recorded. */
function checkPrices(ids: readonly string[], { limits, settings }: AnalysisSpec): void {
  if (limits.costUsd === null) return;
  const unknown = ids.find((id) => !isReplay(id) && priceOf({ id, overrides: settings.prices }) === null);
  if (unknown === undefined) return;
  const which = ids.length > 1 ? `${unknown}=` : '';
  throw new AssayError({
    code: 'usage',
    message: `--max-cost ${limits.costUsd} cannot be kept: what ${unknown} costs is not known`,
    fix: `give its price in USD for a million tokens, --price ${which}IN,OUT (0,0 for a model of your own), or as prices in your configuration; or use --max-tokens`,
  });
}

/** Says once who gets what the analysis shows, before they first do. */
function announced({ terminal }: CliContext, spec: AnalysisSpec, model: Model): Model {
  let said = false;
  return {
    ...model,
    call: (request, options) => {
      if (!said) terminal.say(printable(sentence(model, spec)));
      said = true;
      return model.call(request, options);
    },
  };
}

/** With what it costs, so that a price that is wrong is seen before it counts. */
function sentence({ id, receiver }: Model, { dataDir, settings }: AnalysisSpec): string {
  const price = priceOf({ id, overrides: settings.prices });
  const costs =
    price === null
      ? 'at a price that is not known'
      : `at $${price.input} for a million tokens in and $${price.output} out`;
  const data = dataDir === null ? '' : ', file names and what cells print of the data';
  return `the task, the code${data} now go to ${receiver}, to be read by ${id} ${costs}`;
}
