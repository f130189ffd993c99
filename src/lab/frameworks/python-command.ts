import path from 'node:path';
import type { TestCommand } from './framework.ts';

/** Programs that only prepare what the words after them run; the environment they choose is found by other means. */
const runners = new Set(['uv', 'poetry', 'pipenv', 'pdm', 'rye', 'hatch']);
const flagsWithValue = new Set(['-W', '-X']);

/**
 * Reads `python -m MODULE ...` and `MODULE ...`, with `NAME=value` words, `env`, `uv run` and its like, and
 * `coverage run -m` before them. Null for any other command. Pure.
 */
export function parsePythonCommand(argv: readonly string[], module: PythonModule): TestCommand | null {
  const { env, rest } = assignments(argv);
  const words = withoutCoverage(withoutRunner(rest));
  const [program, ...args] = words;
  if (program === undefined) return null;
  const name = path.basename(program);
  if (module.scripts.includes(name)) {
    // The interpreter beside the script is the one in its first line.
    const beside = program.includes('/') ? path.join(path.dirname(program), 'python') : null;
    return { program: beside, via: 'script', flags: [], args, env };
  }
  if (!/^(python|pypy)[\d.]*$/.test(name)) return null;
  const interpreter = interpreterWords(args);
  if (interpreter === null || interpreter.module !== module.name) return null;
  return { program, via: 'module', flags: interpreter.flags, args: interpreter.args, env };
}

export type PythonModule = { name: string; scripts: readonly string[] };

function assignments(argv: readonly string[]): { env: Record<string, string>; rest: string[] } {
  const env: Record<string, string> = {};
  let at = argv[0] === 'env' ? 1 : 0;
  for (; at < argv.length; at++) {
    const match = /^([A-Za-z_]\w*)=([\s\S]*)$/.exec(argv[at] ?? '');
    if (match?.[1] === undefined || match[2] === undefined) break;
    env[match[1]] = match[2];
  }
  return { env, rest: argv.slice(at) };
}

function withoutRunner(words: string[]): string[] {
  if (!runners.has(words[0] ?? '') || words[1] !== 'run') return words;
  const first = words.findIndex((word, n) => n > 1 && !word.startsWith('-'));
  return first === -1 ? [] : words.slice(first);
}

/** `coverage run [options] -m pytest` and `python -m coverage run ...` run the module that is named last. */
function withoutCoverage(words: string[]): string[] {
  const at = words.indexOf('coverage');
  const isModule = at === 2 && words[1] === '-m';
  if (!(at === 0 || isModule) || words[at + 1] !== 'run') return words;
  const module = words.indexOf('-m', at + 1);
  if (module === -1) return words;
  return [isModule ? (words[0] ?? 'python') : 'python', ...words.slice(module)];
}

function interpreterWords(
  words: readonly string[],
): { module: string; flags: string[]; args: string[] } | null {
  const flags: string[] = [];
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? '';
    if (word === '-m') {
      const module = words[at + 1];
      return module === undefined ? null : { module, flags, args: words.slice(at + 2) };
    }
    if (!/^-[A-Za-z]/.test(word)) return null;
    flags.push(word);
    const value = words[at + 1];
    if (flagsWithValue.has(word) && value !== undefined) {
      flags.push(value);
      at += 1;
    }
  }
  return null;
}
