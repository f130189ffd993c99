import { AssayError } from '../core/index.ts';

/**
 * Splits a command line into words the way a shell does for plain words, quotes and backslashes. There is no
 * expansion of any kind: what needs a shell is written as `sh -c '...'`.
 *
 * @throws AssayError `usage` for an unclosed quote or an empty command.
 */
export function splitCommand(text: string): string[] {
  const words: string[] = [];
  let word: string | null = null;
  let quote: '"' | "'" | null = null;
  for (let index = 0; index < text.length; index += 1) {
    const char = text.charAt(index);
    if (quote === null && /\s/.test(char)) {
      if (word !== null) words.push(word);
      word = null;
    } else if (quote === null && (char === '"' || char === "'")) {
      quote = char;
      word ??= '';
    } else if (char === quote) {
      quote = null;
    } else if (char === '\\' && quote !== "'" && index + 1 < text.length) {
      index += 1;
      word = (word ?? '') + text.charAt(index);
    } else {
      word = (word ?? '') + char;
    }
  }
  if (word !== null) words.push(word);
  if (quote !== null || words.length === 0) {
    throw new AssayError({
      code: 'usage',
      message: quote === null ? 'The test command is empty.' : `The test command has an unclosed ${quote}.`,
      fix: `give it as one argument, e.g. --test "python -m pytest tests"`,
    });
  }
  return words;
}
