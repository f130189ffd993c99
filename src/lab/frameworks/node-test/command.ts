import path from 'node:path';
import type { SourceTree, TestCommand } from '../framework.ts';
import { readNodeArguments } from './node-options.ts';
import { scriptCommands } from './script-words.ts';

/** Programs that only set the scene for the command after them, and take no options of their own before it here. */
const wrappers = new Set(['cross-env', 'c8', 'nyc', 'npx', 'dotenv', 'env']);
const packageManagers = new Set(['npm', 'pnpm', 'yarn', 'bun']);
const maxScripts = 4;

/**
 * Reads `node --test ...`, `node FILE` where FILE uses node:test, `tsx --test ...`, and `npm test` or `npm run NAME`
 * through the scripts of package.json. `via`: `test` with `args` the patterns of files, or `file` with `args` the file
 * and its own arguments. `flags` are node's options, as written. Null for any other command. Pure.
 */
export function parseNodeCommand(argv: readonly string[], tree: SourceTree): TestCommand | null {
  return parse(argv, tree, 0);
}

/** The test command of the project's own package.json, or null. */
export function scriptedCommand(tree: SourceTree): TestCommand | null {
  return parse(['npm', 'test'], tree, 0);
}

/** The scripts of package.json, or none where there is no readable one. */
export function packageScripts(tree: SourceTree): Record<string, string> {
  try {
    const parsed: unknown = JSON.parse(tree.text('package.json') ?? '{}');
    const scripts = isRecord(parsed) && isRecord(parsed.scripts) ? parsed.scripts : {};
    return Object.fromEntries(
      Object.entries(scripts).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
    );
  } catch {
    return {};
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

function parse(argv: readonly string[], tree: SourceTree, depth: number): TestCommand | null {
  const { env, words } = withoutWrappers(argv);
  const [program, ...args] = words;
  if (program === undefined || depth > maxScripts) return null;
  const name = path.basename(program);
  if (packageManagers.has(name)) return throughScript({ name, args, env, tree, depth });
  if (name === 'tsx') return nodeCommand({ program: null, args: ['--import', 'tsx', ...args], env, tree });
  if (!/^node(js)?[\d.]*$/.test(name)) return null;
  return nodeCommand({ program: name === 'node' ? null : program, args, env, tree, named: program });
}

function withoutWrappers(argv: readonly string[]): { env: Record<string, string>; words: string[] } {
  const env: Record<string, string> = {};
  let at = 0;
  for (; at < argv.length; at += 1) {
    const word = argv[at] ?? '';
    const assignment = /^([A-Za-z_]\w*)=([\s\S]*)$/.exec(word);
    if (assignment?.[1] !== undefined && assignment[2] !== undefined) env[assignment[1]] = assignment[2];
    else if (!wrappers.has(word)) break;
  }
  return { env, words: argv.slice(at) };
}

function throughScript(options: {
  name: string;
  args: string[];
  env: Record<string, string>;
  tree: SourceTree;
  depth: number;
}): TestCommand | null {
  const { args, env, tree, depth } = options;
  const [verb = '', ...after] = args.filter((word) => !/^(-s|--silent|--quiet)$/.test(word));
  const isRun = verb === 'run' || verb === 'run-script';
  const script = isRun ? after[0] : /^(t|tst)$/.test(verb) ? 'test' : verb;
  const own = isRun ? after.slice(1) : after;
  const text = script === undefined ? undefined : packageScripts(tree)[script];
  if (text === undefined) return null;
  const extra = own[0] === '--' ? own.slice(1) : own;
  for (const words of scriptCommands(text) ?? []) {
    const command = parse([...words, ...extra], tree, depth + 1);
    if (command !== null) return { ...command, env: { ...env, ...command.env } };
  }
  return null;
}

function nodeCommand(options: {
  program: string | null;
  args: string[];
  env: Record<string, string>;
  tree: SourceTree;
  named?: string;
}): TestCommand | null {
  const { program, args, env, tree, named } = options;
  const { options: read, rest } = readNodeArguments(args);
  const flags = read.flatMap(({ words }) => words);
  // A path (`.node/bin/node`) is kept; the bare name leaves it to the machine.
  const chosen = named?.includes('/') ? named : program;
  if (flags.includes('--test')) return { program: chosen, via: 'test', flags, args: rest, env };
  const file = path.posix.normalize(rest[0] ?? '');
  if (!usesNodeTest(tree.text(file) ?? '')) return null;
  return { program: chosen, via: 'file', flags, args: [file, ...rest.slice(1)], env };
}

/** True for a text that loads node:test. */
export function usesNodeTest(text: string): boolean {
  return /(\bfrom|\bimport|\brequire)\s*\(?\s*['"]node:test['"]/.test(text);
}
