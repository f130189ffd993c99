import type { Report } from '../core/index.ts';
import { isFailing } from './stagnation.ts';

/**
 * What a correct fix seldom needs and a shortcut to green may have, beside what the lab warns of in its own report
 * (an import of the test framework, a look at the stack, an end of the process and their like).
 */
const patterns: readonly (readonly [RegExp, string])[] = [
  [/\b(?:sys\.(?:orig_)?argv|process\.(?:exec)?argv)\b/i, 'looks at the command line of the process'],
  [
    /\bcaptureStackTrace\b|\bprepareStackTrace\b|\bnew Error\([^)]*\)\.stack|\btraceback\.(?:extract|walk)_/,
    'looks at the call stack',
  ],
  [
    /\bsys\.(?:modules|settrace|setprofile|meta_path)\b|\brequire\.cache\b/,
    'reaches into the running interpreter',
  ],
  [/\b__builtins__\b|\bbuiltins\.\w+\s*=|\bsetattr\(\s*builtins\b/, 'changes built-in names'],
];

/** Numbers that code is full of: they point at nothing. */
const ordinary = new Set(['10', '100', '1000', '0.0', '1.0', '0.5', '255', '256', '1024']);

/**
 * Warnings about a patch that may be a shortcut: it names the test machinery, or says the very values that the
 * failing tests ask for. Heuristics for a reader; they decide nothing.
 * @param options.red the report whose failing tests the patch was made for
 */
export function suspicionsOf(options: { diff: string; red: Report }): string[] {
  const files = changedFiles(options.diff);
  const mentions = files.flatMap(({ path, added, removed }) =>
    patterns.flatMap(([pattern, what]) =>
      pattern.test(added) && !pattern.test(removed) ? [`the patch ${what} (${path})`] : [],
    ),
  );
  const known = files.map(({ removed, context }) => `${removed}\n${context}`).join('\n');
  const added = files.map((file) => file.added).join('\n');
  const special = specialCases(added, options.red);
  if (special.length > 0)
    mentions.push(
      `the patch answers inputs of the failing tests one by one: ${special.slice(0, 3).join(', ')}`,
    );
  const copied = literalsOf(options.red).filter((literal) => says(added, literal) && !says(known, literal));
  if (copied.length === 0) return mentions;
  const listed = copied.slice(0, 5).join(', ');
  return [...mentions, `the patch contains values from the failing tests' messages: ${listed}`];
}

/** Repetitions are bounded here and below: a patch is hostile text. */
const literal = String.raw`(-?\d{1,40}(?:\.\d{1,40})?|'[^'\n]{0,200}'|"[^"\n]{0,200}")`;
const gap = '[ \\t]{0,80}';
/** `if n == 3: return 6`, `case 3: return 6` and the entries of a table of answers. */
const answers = [
  new RegExp(
    String.raw`\b(?:el)?if\b[^\n]{0,80}?={2,3}${gap}${literal}[^\n]{0,80}\n?${gap}return ${gap}${literal}${gap};?${gap}(?:$|[}\n])`,
    'gm',
  ),
  new RegExp(String.raw`\bcase ${gap}${literal}${gap}:\s{0,80}return ${gap}${literal}`, 'g'),
  new RegExp(String.raw`[{,]\s{0,80}${literal}${gap}:${gap}${literal}\s{0,80}(?=[,}])`, 'g'),
];
/** The first cases of many an honest definition: a base case, an empty text. */
const plain = new Set(['0', '1', '-1', '2', "''", '""']);

/** `input -> answer` where both are literals of one failing test. */
function specialCases(added: string, red: Report): string[] {
  const tests = red.tests.filter(isFailing).map(({ failure }) => saidBy(failure?.message, failure?.trace));
  return answers.flatMap((pattern) =>
    [...added.matchAll(pattern)].flatMap(([, input = '', answer = '']) => {
      const isPlain = plain.has(input) && plain.has(answer);
      const isAsked = tests.some((words) => words.has(bare(input)) && words.has(bare(answer)));
      return isAsked && !isPlain ? [`${input} -> ${answer}`] : [];
    }),
  );
}

/** Literals of a failing test's message and of the lines of code in its trace, without places in files. */
function saidBy(message = '', trace = ''): Set<string> {
  const text = `${message}\n${trace}`
    .slice(0, 20_000)
    .replace(/\bline \d+|:\d+(?::\d+)?\b(?=\)?:?\s|$)|^[ \t]*(?:File|at) .*$/gm, '');
  return new Set((text.match(new RegExp(literal, 'g')) ?? []).map(bare));
}

const bare = (text: string) => text.replace(/^(['"])(.*)\1$/, '$2');

type Changed = { path: string; added: string; removed: string; context: string };

/** The texts that a canonical git diff adds, removes and leaves, by file. */
function changedFiles(diff: string): Changed[] {
  return diff
    .split(/^(?=diff --git )/m)
    .filter((part) => part.startsWith('diff --git '))
    .map((part) => {
      const path = /^\+\+\+ "?b\/(.*?)"?$/m.exec(part)?.[1] ?? part.split('\n', 1)[0]?.slice(11) ?? '';
      const start = part.search(/^@@/m);
      const lines = start === -1 ? [] : part.slice(start).split('\n');
      const text = (mark: string) =>
        lines
          .filter((line) => line.startsWith(mark))
          .map((line) => line.slice(1))
          .join('\n');
      return { path, added: text('+'), removed: text('-'), context: text(' ') };
    });
}

/** Quoted texts and numbers of some weight in the failing tests' messages. */
function literalsOf(report: Report): string[] {
  const found = new Set<string>();
  for (const { failure } of report.tests.filter(isFailing)) {
    const message = failure?.message.slice(0, 20_000) ?? '';
    for (const [, single, double] of message.matchAll(/'([^'\n]{3,80})'|"([^"\n]{3,80})"/g))
      found.add(single ?? double ?? '');
    for (const [number] of message.matchAll(/(?<![\w.])\d+(?:\.\d+)?(?![\w.])/g))
      if (number.length > 1 && !ordinary.has(number)) found.add(number);
  }
  return [...found];
}

/** A number as a whole number, a text as a quoted text. */
function says(code: string, literal: string): boolean {
  if (!/^\d/.test(literal)) return code.includes(`'${literal}'`) || code.includes(`"${literal}"`);
  let at = code.indexOf(literal);
  while (at !== -1) {
    const around = `${code[at - 1] ?? ' '}${code[at + literal.length] ?? ' '}`;
    if (!/[\w.]/.test(around)) return true;
    at = code.indexOf(literal, at + 1);
  }
  return false;
}
