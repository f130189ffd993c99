import { realpathSync } from 'node:fs';
import path from 'node:path';
import { type AnalysisSpec, AssayError, type Price } from '../core/index.ts';
import type { ModelOf } from '../loop/index.ts';
import { modelsOf } from '../propose/index.ts';
import { printable } from '../sandbox/index.ts';
import { modelSettingsOf, readProjectConfig, readUserConfig, settle } from './config/index.ts';
import type { CliContext } from './context.ts';
import type { PriceOption } from './parse-options.ts';
import { dataOfSpec, surveyData } from './solve-data.ts';
import { checkKernel } from './solve-kernel.ts';
import { noModel } from './solve-model-errors.ts';
import { isReplay, makeModels } from './solve-models.ts';
import type { SolveCliOptions } from './solve-options.ts';
import { withStages } from './solve-stages.ts';
import { readChecks, readTask } from './solve-task.ts';
import { withWayOut } from './way-out.ts';

/** An analysis that can be begun: what could be wrong with its options is not. */
export type PreparedSolve = { spec: AnalysisSpec; modelOf: ModelOf };

/**
 * Settles what an analysis is made with: the command line, the configuration beside the task, the user's.
 * @throws AssayError `usage` for what is wrong with any of them; nothing has been made then but the recording asked for
 */
export async function prepareSolve(
  context: CliContext,
  taskFile: string,
  options: SolveCliOptions,
): Promise<PreparedSolve> {
  const { cwd, terminal } = context;
  const file = path.resolve(cwd, taskFile);
  const task = readTask(file);
  const data = options.data === undefined ? null : path.resolve(cwd, options.data);
  const survey = data === null ? null : surveyData(data);
  for (const left of survey?.leftOut ?? []) terminal.say(printable(left));
  const { settled, isConfigured } = await settleModel(context, path.dirname(file), options);
  const { timeout, cellTimeout, runtime } = options;
  const spec: AnalysisSpec = withStages(
    {
      kind: 'solve',
      task: task.task,
      subtasks: task.subtasks,
      plan: options.plan === true,
      planModel: null,
      dataDir: data === null ? null : realpathSync(data),
      data: survey === null ? null : dataOfSpec(survey),
      kernel: options.kernel ?? (runtime === 'e2b' ? 'python' : 'python3'),
      runtime,
      model: settled.model,
      settings: modelSettingsOf(settled),
      images: options.images ?? isSeeing(settled.model),
      limits: {
        retries: options.maxRetries,
        totalRetries: Math.max(options.maxRetries, options.maxTurns),
        turns: options.maxTurns,
        tokens: settled.maxTokens ?? null,
        costUsd: settled.maxCost ?? null,
        wallMs: timeout * 1_000,
        cellMs: cellTimeout * 1_000,
      },
      memoryBytes: options.memory ?? null,
      network: networkOf(options),
      checks: options.checks === undefined ? [] : readChecks(path.resolve(cwd, options.checks)),
      strict: options.strict,
      seed: options.seed,
    },
    { cwd, instructions: options.instructions ?? [], models: options.modelFor ?? [] },
  );
  await checkKernel(context, spec);
  try {
    return { spec, modelOf: await makeModels(context, spec, { record: options.record }) };
  } catch (error) {
    throw isConfigured
      ? withWayOut(error, { model: settled.model, wayOut: 'name another with --model' })
      : error;
  }
}

/** Which model is asked and how; the configuration of a project stands beside its task. */
async function settleModel(context: CliContext, dir: string, options: SolveCliOptions) {
  const { cwd, env, signal, terminal } = context;
  const { model, maxTokens, maxCost, maxOutputTokens, contextTokens, baseUrl } = options;
  const given = {
    ...(model === undefined ? {} : { model: oneModel(model, cwd) }),
    ...(baseUrl === undefined ? {} : { baseUrl }),
    ...(maxTokens === undefined ? {} : { maxTokens }),
    ...(maxCost === undefined ? {} : { maxCost }),
    ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
    ...(contextTokens === undefined ? {} : { contextTokens }),
  };
  const user = withModelOnly(readUserConfig(env));
  const project = withModelOnly(await readProjectConfig({ dir, strict: options.strict, signal }));
  const settled = settle({ given, project, user, envBaseUrl: env.ASSAY_BASE_URL });
  if (settled.model === 'search') throw noModel(env);
  const isProjects = given.model === undefined && project.model !== undefined;
  // Nobody should find out from a bill that a project they were given names a model.
  if (isProjects) terminal.say(`model ${printable(settled.model)}, as the configuration of the project says`);
  const prices = { ...settled.prices, ...pricesOf(options.price ?? [], settled.model) };
  return { settled: { ...settled, prices }, isConfigured: given.model === undefined };
}

/** A configuration for fix may name a chain; of it the first model is asked. The search and proposals know no analysis. */
function withModelOnly<C extends { model?: string | undefined }>({
  model,
  ...config
}: C): Omit<C, 'model'> & { model?: string } {
  const [first] = model === undefined ? [] : modelsOf(model);
  return first === undefined ? config : { ...config, model: first };
}

function oneModel(given: string, cwd: string): string {
  const id = given.trim();
  if (isReplay(id)) return `replay:${path.resolve(cwd, id.slice('replay:'.length))}`;
  if (modelsOf(id).length === 1 && !id.includes(',')) return id;
  const because =
    id === 'search'
      ? 'the built-in search repairs code; it knows nothing of an analysis'
      : id.includes(',')
        ? 'an analysis is one conversation'
        : `'${id}' is no PROVIDER/MODEL`;
  throw new AssayError({
    code: 'usage',
    message: `--model ${given} cannot work on a task`,
    because,
    fix: 'name one model: --model PROVIDER/MODEL, or replay:FILE; --model-for N=PROVIDER/MODEL has another one work on subtask N',
  });
}

/** Prices of the command line by model id; one without an id is that of the run's model. */
const pricesOf = (given: readonly PriceOption[], model: string): Record<string, Price> =>
  Object.fromEntries(given.map(({ model: of, input, output }) => [of ?? model, { input, output }]));

/** The big providers' models take images; of a server of the user's own that cannot be known. */
const isSeeing = (model: string) => /^(anthropic|openai|google)\//.test(model);

function networkOf({ network = false, runtime }: SolveCliOptions): boolean {
  if (!network || runtime === 'e2b') return network;
  throw new AssayError({
    code: 'usage',
    message: '--network is for --runtime e2b',
    because: 'on this machine code that a model wrote has no network, whatever it asks for',
    fix: 'leave it out and put what is needed into the data folder, or use --runtime e2b',
  });
}
