import { AssayError } from '../../core/index.ts';
import { type Env, type KnownSecret, secretsIn } from '../../store/index.ts';
import { type CallLimits, defaultCallLimits } from './call-watch.ts';
import { type ProviderName, providerNames } from './sdk.ts';
import { sdkModel } from './sdk-model.ts';
import type { Model } from './types.ts';

type Provider = {
  /** The first that is set counts. */
  keyVariables: readonly [string, ...string[]];
  /** Its own address; null: the user has to give one. */
  baseUrl: string | null;
  /** Where a base URL may come from besides the command line. */
  baseUrlVariables: readonly string[];
  keyRequired: boolean;
};

const providers: Record<ProviderName, Provider> = {
  openai: {
    keyVariables: ['OPENAI_API_KEY'],
    baseUrl: 'https://api.openai.com/v1',
    baseUrlVariables: [],
    keyRequired: true,
  },
  anthropic: {
    keyVariables: ['ANTHROPIC_API_KEY'],
    baseUrl: 'https://api.anthropic.com/v1',
    baseUrlVariables: [],
    keyRequired: true,
  },
  google: {
    keyVariables: ['GOOGLE_GENERATIVE_AI_API_KEY', 'GEMINI_API_KEY'],
    baseUrl: 'https://generativelanguage.googleapis.com/v1beta',
    baseUrlVariables: [],
    keyRequired: true,
  },
  'openai-compatible': {
    keyVariables: ['OPENAI_COMPATIBLE_API_KEY', 'ASSAY_API_KEY'],
    baseUrl: null,
    baseUrlVariables: ['ASSAY_BASE_URL'],
    keyRequired: false,
  },
};

/** Node reads them when NODE_USE_ENV_PROXY is 1, unlike most programs. */
const proxyVariables = ['HTTPS_PROXY', 'https_proxy', 'HTTP_PROXY', 'http_proxy'];

export type CreateModelOptions = {
  /** `provider/model`, e.g. `anthropic/claude-sonnet-4-5`, `openai-compatible/qwen3-coder`. */
  id: string;
  /** Where the API is, for a server of one's own or a proxy. The key of the provider goes there. */
  baseUrl?: string | undefined;
  /** Keys are read from here only. */
  env: Env;
  limits?: Partial<CallLimits>;
};

/**
 * A model by its id. Nothing is loaded or sent before the first call, and a call is tried once (see `retryingModel`).
 * `ASSAY_BASE_URL` counts for `openai-compatible` alone, so that no other provider's key follows it.
 * @throws AssayError `usage`: no such provider, no model's name, no key or one that cannot be sent, no base URL or a bad one.
 */
export function createModel({ id, baseUrl, env, limits }: CreateModelOptions): Model {
  checkModelId(id);
  const { name, model } = parseId(id);
  const provider = providers[name];
  const key = firstSet(env, provider.keyVariables);
  const given = clean(baseUrl) ?? firstSet(env, provider.baseUrlVariables)?.value ?? null;
  const url = given === null ? null : parseBaseUrl(given);
  const address = url ?? provider.baseUrl;
  if (address === null) throw noBaseUrl(id);
  if (key === null && provider.keyRequired) throw noKey(id, provider.keyVariables);
  if (key !== null) checkKey(key);
  return sdkModel({
    id,
    receiver: url === null ? name : new URL(url).host,
    endpoint: { provider: name, model, baseUrl: address, key: key?.value ?? null },
    limits: { ...defaultCallLimits, ...limits },
    tell: {
      baseUrl: url,
      keyVariable: key?.name ?? provider.keyVariables[0],
      unusedProxy: firstSet(env, proxyVariables) !== null && env.NODE_USE_ENV_PROXY !== '1',
      secrets: [...(key === null ? [] : [key]), ...secretsIn(env)],
    },
  });
}

/** Whether a key for the model's provider is set. @throws AssayError `usage` for an id without a known provider */
export function hasKey(id: string, env: Env): boolean {
  return firstSet(env, providers[parseId(id).name].keyVariables) !== null;
}

function firstSet(env: Env, variables: readonly string[]): KnownSecret | null {
  const set = variables
    .map((name) => ({ name, value: clean(env[name]) }))
    .find(({ value }) => value !== null);
  return set === undefined || set.value === null ? null : { name: set.name, value: set.value };
}

function clean(value: string | undefined): string | null {
  const trimmed = value?.trim() ?? '';
  return trimmed === '' ? null : trimmed;
}

const longestId = 200;

/**
 * It stands in lines, files and requests.
 * @throws AssayError `usage` for one that is too long, or not of one line
 */
export function checkModelId(id: string): void {
  const because =
    id.length > longestId
      ? `it has ${id.length} characters, and ${longestId} are the most`
      : /\p{Cc}|[\u2028\u2029]/u.test(id)
        ? 'it has line breaks or other control characters'
        : null;
  if (because === null) return;
  throw new AssayError({
    code: 'usage',
    message: `${JSON.stringify(id.slice(0, 60))}${id.length > 60 ? '...' : ''} is no id of a model`,
    because,
    fix: 'Give --model as provider/model, with the name as the provider spells it.',
  });
}

/** A header holds one line of latin-1. */
function checkKey({ name, value }: KnownSecret): void {
  if (/^[\x20-\x7e\xa0-\xff]+$/.test(value)) return;
  const because = /[\r\n]/.test(value)
    ? 'it goes over several lines'
    : 'it holds characters that cannot stand in a header';
  throw new AssayError({
    code: 'usage',
    message: `The key in ${name} cannot be sent`,
    because,
    fix: `Set ${name} to the key alone, as the provider shows it.`,
  });
}

function parseId(id: string): { name: ProviderName; model: string } {
  const slash = id.indexOf('/');
  const given = slash === -1 ? id : id.slice(0, slash);
  const name = providerNames.find((known) => known === given);
  if (name === undefined) {
    throw new AssayError({
      code: 'usage',
      message: `There is no provider ${JSON.stringify(given)}`,
      because: `the providers are ${providerNames.join(', ')}`,
      fix: 'Give --model as provider/model, e.g. anthropic/MODEL, or openai-compatible/MODEL with --base-url.',
    });
  }
  const model = slash === -1 ? '' : id.slice(slash + 1).trim();
  if (model === '') {
    throw new AssayError({
      code: 'usage',
      message: `--model ${id} names no model`,
      fix: `Give --model as ${name}/MODEL, with the model's name as the provider spells it.`,
    });
  }
  return { name, model };
}

function parseBaseUrl(given: string): string {
  const refuse = (because: string): AssayError =>
    new AssayError({
      code: 'usage',
      message: 'The base URL cannot be used',
      because,
      fix: 'Give the address of the API up to its version, e.g. --base-url http://localhost:11434/v1.',
    });
  const url = URL.parse(given);
  if (url === null) throw refuse('it is no URL');
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw refuse('it does not begin with http:// or https://');
  // It is shown, and kept in a run's spec.
  if (url.username !== '' || url.password !== '')
    throw refuse('it holds a user name or a password; keys go into variables');
  if (url.search !== '' || url.hash !== '') throw refuse('it has a query or a fragment');
  return url.href.replace(/\/+$/, '');
}

function noBaseUrl(id: string): AssayError {
  return new AssayError({
    code: 'usage',
    message: `--model ${id} needs the address of its server`,
    fix: 'Give --base-url URL or set ASSAY_BASE_URL, e.g. http://localhost:11434/v1 for Ollama.',
  });
}

function noKey(id: string, variables: readonly string[]): AssayError {
  return new AssayError({
    code: 'usage',
    message: `--model ${id} needs a key, and ${variables.join(' or ')} is not set`,
    fix: `Set ${variables.join(' or ')}.`,
  });
}
