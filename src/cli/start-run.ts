import { realpathSync } from 'node:fs';
import path from 'node:path';
import { AssayError, type Price, type RepairSpec } from '../core/index.ts';
import { checkFolder, statFolder } from '../lab/index.ts';
import { stagesOf } from '../loop/index.ts';
import { modelsOf, type Proposer } from '../propose/index.ts';
import { refuseEmptyName } from './check-folder-name.ts';
import { modelSettingsOf, readProjectConfig, readUserConfig, type Settled, settle } from './config/index.ts';
import type { CliContext } from './context.ts';
import type { FixCliOptions } from './fix-options.ts';
import { makeProposers } from './make-proposers.ts';
import { oneLine } from './one-line.ts';
import type { PriceOption } from './parse-options.ts';
import { splitCommand } from './split-command.ts';
import { withWayOut } from './way-out.ts';

/** A run that can be begun: what could be wrong with its options is not. */
export type PreparedRun = { spec: RepairSpec; proposers: readonly Proposer[] };

/**
 * Settles what a run is made with: the command line, the project's configuration, the user's.
 * @throws AssayError `usage` for what is wrong with any of them; nothing has been made then but the recording asked for.
 */
export async function prepareRun(
  context: CliContext,
  dir: string,
  options: FixCliOptions,
): Promise<PreparedRun> {
  const { cwd, env, signal } = context;
  refuseEmptyName(dir);
  const folder = projectFolder(path.resolve(cwd, dir));
  const { strict, price: _, ...given } = options;
  const project = await readProjectConfig({ dir: folder, strict, signal });
  const user = readUserConfig(env);
  const unpriced = settle({ given, project, user, envBaseUrl: env.ASSAY_BASE_URL });
  const prices = { ...unpriced.prices, ...pricesOf(options.price ?? [], unpriced.model) };
  const isProjects = given.model === undefined && project.model !== undefined;
  if (isProjects) checkReplays(unpriced.model, folder);
  const model = absolute(unpriced.model, isProjects ? folder : cwd);
  // Nobody should find out from a bill that a project they were given names a model.
  if (isProjects && modelsOf(model).length > 0)
    context.terminal.say(`model ${oneLine(model)}, as the configuration of the project says`);
  const spec = specOf({ dir: folder, options, settled: { ...unpriced, prices, model } });
  try {
    return { spec, proposers: await makeProposers(context, spec, { record: options.record }) };
  } catch (error) {
    throw given.model === undefined && model !== 'search'
      ? withWayOut(error, { model, wayOut: 'go without: --model search' })
      : error;
  }
}

/**
 * A project is outside text: of what it names no file of the user's is read, not through a link either.
 * @throws AssayError `usage` where it names a recording outside its folder
 */
function checkReplays(chain: string, folder: string): void {
  for (const id of stagesOf({ proposer: chain })) {
    if (!id.startsWith('replay:')) continue;
    const file = path.resolve(folder, id.slice('replay:'.length));
    if (realOf(file).startsWith(folder + path.sep)) continue;
    throw new AssayError({
      code: 'usage',
      message: `The configuration of ${folder} names the recording ${file}`,
      because: 'a project may name only recordings inside its own folder',
      fix: 'give it yourself, if you mean it: --model replay:FILE',
    });
  }
}

/** Without links; what is not there has none in its name. */
function realOf(file: string): string {
  try {
    return realpathSync(file);
  } catch {
    return file;
  }
}

function specOf(parts: { dir: string; options: FixCliOptions; settled: Settled }): RepairSpec {
  const { dir, options, settled } = parts;
  return {
    kind: 'fix',
    dir,
    framework: settled.framework ?? null,
    testCommand: settled.test === undefined ? null : splitCommand(settled.test),
    task: options.task ?? null,
    proposer: settled.model,
    model: asksModels(settled.model) ? modelSettingsOf(settled) : null,
    limits: {
      rounds: settled.rounds,
      tokens: settled.maxTokens ?? null,
      costUsd: settled.maxCost ?? null,
      wallMs: settled.timeout * 1_000,
      candidates: settled.maxCandidates ?? null,
    },
    testTimeoutMs: milliseconds(settled.testTimeout),
    perTestMs: milliseconds(settled.perTest),
    protect: settled.protect,
    holdout: settled.holdout,
    setup: settled.setup ?? null,
    trustCollected: options.trustCollected === true,
    strict: options.strict,
    seed: options.seed,
  };
}

/** A recording may be one of a model's replies, which are read as the model's would be. */
const asksModels = (chain: string) =>
  modelsOf(chain).length > 0 || stagesOf({ proposer: chain }).some((id) => id.startsWith('replay:'));

const milliseconds = (seconds: number | undefined) => (seconds === undefined ? null : seconds * 1_000);

/** A relative file must still be found when the run is resumed from elsewhere. */
const absolute = (chain: string, cwd: string) =>
  stagesOf({ proposer: chain })
    .map((id) => (id.startsWith('replay:') ? `replay:${path.resolve(cwd, id.slice('replay:'.length))}` : id))
    .join(',');

/** Prices of the command line by model id; one without an id is of the only model there is. */
function pricesOf(given: readonly PriceOption[], chain: string): Record<string, Price> {
  const models = modelsOf(chain);
  const [only, ...others] = models;
  const rows = given.map(({ model, input, output }) => {
    if (model !== null) return [model, { input, output }] as const;
    if (only !== undefined && others.length === 0) return [only, { input, output }] as const;
    throw new AssayError({
      code: 'usage',
      message: `--price ${input},${output} is the price of which model?`,
      because: only === undefined ? `${chain} has no model` : `${chain} has ${models.length} models`,
      fix: `say it, e.g. --price ${only ?? 'provider/model'}=${input},${output}`,
    });
  });
  return Object.fromEntries(rows);
}

function projectFolder(dir: string): string {
  const stats = statFolder(dir);
  if (stats?.isDirectory()) {
    const real = realpathSync(dir);
    checkFolder(real);
    return real;
  }
  throw new AssayError({
    code: 'usage',
    message: stats ? `${dir} is a file, not a project's folder.` : `There is no folder ${dir}.`,
    fix: 'give the folder of the project, e.g. assay fix path/to/project',
  });
}
