import type { ModelSettings, Price } from '../../core/index.ts';
import {
  contextTokensOf,
  defaultModelSettings,
  isCompatible,
  modelsOf,
  priceOf,
} from '../../propose/index.ts';
import type { ProjectConfig, UserConfig } from './config-schema.ts';

/** The options of the command line that a configuration has defaults for, and those that only it may give. */
export type GivenOptions = ProjectConfig & { baseUrl?: string };

type Filled = 'model' | 'rounds' | 'timeout' | 'protect' | 'holdout' | 'maxOutputTokens' | 'patchTransport';

/** What a run is made with, every default filled in. Seconds and US dollars, as on the command line. */
export type Settled = Omit<ProjectConfig, Filled | 'prices'> & {
  [Name in Filled]: Exclude<ProjectConfig[Name], undefined>;
} & { prices: Record<string, Price>; baseUrl: string | null };

const defaults = {
  model: 'search',
  rounds: 5,
  timeout: 600,
  maxOutputTokens: defaultModelSettings.maxOutputTokens,
  patchTransport: defaultModelSettings.transport,
};

/**
 * The command line goes before the project's configuration, and that before the user's. Where a project could make
 * the user pay more or prove less, it is held back:
 * - lists of globs add up, so that none can take another away;
 * - of rounds, times, tokens, cost and sizes of a model's context and replies the lower one counts, of what the project
 *   says and what the user says, or else the default;
 * - a project's prices count for models only that neither the user nor the table has a price of, by the model's family
 *   too, and not at all where anyone but the project limits the cost: with one of 0 the limit would not hold.
 * A base URL of the environment or of the user's configuration is that of a compatible server: no other provider's key
 * goes there without being told to on the command line.
 * @param layers.envBaseUrl `ASSAY_BASE_URL`
 */
export function settle(layers: {
  given: GivenOptions;
  project: ProjectConfig;
  user: UserConfig;
  envBaseUrl?: string | undefined;
}): Settled {
  const { given, project, user, envBaseUrl } = layers;
  const { baseUrl: _, ...ofUser } = user;
  const limited = given.maxCost !== undefined || user.maxCost !== undefined;
  const model = given.model ?? project.model ?? user.model ?? defaults.model;
  const ownServer = modelsOf(model).some(isCompatible) ? envBaseUrl || user.baseUrl : undefined;
  const own = { ...defaults, ...defined({ contextTokens: knownContext(model) }), ...defined(ofUser) };
  return {
    ...defaults,
    ...defined(ofUser),
    ...defined(project),
    ...defined(lower(project, own)),
    ...defined(given),
    protect: [user, project, given].flatMap(({ protect = [] }) => protect),
    holdout: [user, project, given].flatMap(({ holdout = [] }) => holdout),
    prices: {
      ...(limited ? {} : unpriced(project.prices ?? {}, user.prices ?? {})),
      ...user.prices,
      ...given.prices,
    },
    baseUrl: given.baseUrl ?? ownServer ?? null,
  };
}

/** The settings that models are asked with. */
export function modelSettingsOf(settled: Settled): ModelSettings {
  const { baseUrl, patchTransport, prices, contextTokens, maxOutputTokens } = settled;
  return {
    baseUrl,
    transport: patchTransport,
    prices,
    contextTokens: contextTokens ?? null,
    maxOutputTokens,
  };
}

const held = ['rounds', 'timeout', 'maxTokens', 'maxCost', 'maxOutputTokens', 'contextTokens'] as const;
type Held = Pick<ProjectConfig, (typeof held)[number]>;

/** What the project says of these, where it is the lower; what it would raise stays. */
function lower(project: Held, own: Held): Held {
  const rows = held.flatMap((name) => {
    const [wanted, most] = [project[name], own[name]];
    if (wanted === undefined) return [];
    return [[name, most === undefined ? wanted : Math.min(wanted, most)]];
  });
  return Object.fromEntries(rows);
}

/** Of the models of a chain, the least that is known: beyond it some take more for a token. */
function knownContext(chain: string): number | undefined {
  const known = modelsOf(chain).flatMap((id) => contextTokensOf({ id }) ?? []);
  return known.length === 0 ? undefined : Math.min(...known);
}

const unpriced = (prices: Record<string, Price>, ofUser: Record<string, Price>) =>
  Object.fromEntries(Object.entries(prices).filter(([id]) => priceOf({ id, overrides: ofUser }) === null));

type Defined<T> = { [K in keyof T]: Exclude<T[K], undefined> };

/** Without what is undefined, which would take an earlier layer's value away. */
function defined<T extends object>(layer: T): Defined<T> {
  return Object.fromEntries(Object.entries(layer).filter(([, value]) => value !== undefined)) as Defined<T>;
}
