import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import type { RepairSpec } from '../core/index.ts';
import { hasKey, priceOf } from '../propose/index.ts';

export type AdviceOptions = {
  /** Where the user stands, absolute. */
  cwd: string;
  spec: RepairSpec;
  env: Readonly<Record<string, string | undefined>>;
};

/** A model of each provider to name where its key is set: of the middle size, in the table of prices. */
const suggested = ['anthropic/claude-sonnet-5-5', 'openai/gpt-6.2-sol', 'google/gemini-4-neon'];

/** A model whose key is set, or null. */
export function suggestedModel(env: AdviceOptions['env']): string | null {
  return suggested.find((id) => hasKey(id, env)) ?? null;
}

/**
 * Where a key is set a model could take over. That costs money and sends source away, so it is only said.
 * @param chain what goes before the model: `search,`, or nothing where the search does not speak the language
 */
export function keyedModel({ spec, env }: AdviceOptions, chain: string): string | null {
  const model = suggestedModel(env);
  if (model === null) return null;
  const price = priceOf({ id: model, overrides: spec.model?.prices ?? {} });
  const costs = price === null ? '' : ` for $${price.input} a million tokens in and $${price.output} out`;
  const does = chain === '' ? 'repair it' : 'take over where the search is stuck';
  return `--model ${chain}${model} lets a model ${does}: it gets your source${costs}, and --max-cost USD limits it`;
}

const manifests = ['pyproject.toml', 'setup.py', 'setup.cfg', 'package.json'];
const passedOver = /^(\.|node_modules$|venv$|__pycache__$|dist$|build$)/;
const mostFolders = 2_000;
const mostNamed = 5;

/**
 * In a repository of packages the tests are run for each: which folders to give.
 * @param options.noTests none was found at its top, whatever is called so there
 */
export function packageAdvice(
  { spec: { dir }, cwd }: AdviceOptions,
  { noTests = false }: { noTests?: boolean } = {},
): string[] {
  if (!noTests && hasTests(dir)) return [];
  const packages = packagesBelow(dir).filter(hasTests);
  if (packages.length === 0) return [];
  const named = packages.slice(0, mostNamed).map((each) => path.relative(cwd, each) || '.');
  const more = packages.length > named.length ? ` and ${packages.length - named.length} more` : '';
  return [
    `there are packages below with tests of their own: assay fix ${named.join(' ')} --keep-going${more}`,
  ];
}

/** Breadth first, so that the outermost packages are found; one within another is left to that one. */
function packagesBelow(dir: string): string[] {
  const found: string[] = [];
  const queue = foldersIn(dir);
  for (let seen = 0; seen < mostFolders; seen += 1) {
    const next = queue.shift();
    if (next === undefined) break;
    if (manifests.some((name) => existsSync(path.join(next, name)))) found.push(next);
    else queue.push(...foldersIn(next));
  }
  return found.toSorted();
}

function foldersIn(dir: string): string[] {
  try {
    return readdirSync(dir, { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && !passedOver.test(entry.name))
      .map((entry) => path.join(dir, entry.name));
  } catch {
    return [];
  }
}

/** A folder of tests, or a test beside the code. */
function hasTests(dir: string): boolean {
  try {
    return readdirSync(dir, { withFileTypes: true }).some((entry) =>
      entry.isDirectory()
        ? /^(tests?|__tests__)$/.test(entry.name)
        : /^(test_.*|.*_test|tests)\.py$|\.(test|spec)\.[cm]?[jt]sx?$/.test(entry.name),
    );
  } catch {
    return false;
  }
}
