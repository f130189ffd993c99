import { InvalidArgumentError } from 'commander';

/** Argument parsers for commander: each refuses with a sentence that says what is wanted. */

export function positiveInteger(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < 1)
    throw new InvalidArgumentError('give a whole number of 1 or more.');
  return value;
}

/** A whole number, 0 included. */
export function wholeNumber(text: string): number {
  const value = Number(text);
  if (text.trim() === '' || !Number.isSafeInteger(value) || value < 0)
    throw new InvalidArgumentError('give a whole number, 0 or more.');
  return value;
}

/** A number above 0, fractions included. */
export function positiveNumber(text: string): number {
  const value = Number(text);
  if (!Number.isFinite(value) || value <= 0) throw new InvalidArgumentError('give a number above 0.');
  return value;
}

/** `500M`, `2G`, `1048576`. */
export function bytes(text: string): number {
  const [, digits = '', unit = ''] = /^(\d+(?:\.\d+)?)([KMGT]?)i?B?$/i.exec(text) ?? [];
  const power = ['', 'K', 'M', 'G', 'T'].indexOf(unit.toUpperCase());
  const value = Math.floor(Number(digits) * 1024 ** power);
  if (digits === '' || value < 1) throw new InvalidArgumentError('give a size such as 500M or 2G.');
  return value;
}

/** Bytes that no interpreter starts with less than. */
export const leastMemory = 32 * 2 ** 20;

/** A size of 32M or more. */
export function memory(text: string): number {
  const value = bytes(text);
  if (value < leastMemory)
    throw new InvalidArgumentError('give 32M or more, e.g. 500M or 2G: no interpreter starts with less.');
  return value;
}

/** For an option that may be given several times. */
export function collect(text: string, previous: string[] | undefined): string[] {
  return [...(previous ?? []), text];
}

/** A price of one model, or of the only one there is. US dollars for a million tokens. */
export type PriceOption = { model: string | null; input: number; output: number };

/** `3,15` or `openai-compatible/qwen=0,0`; may be given several times. */
export function price(text: string, previous: PriceOption[] | undefined): PriceOption[] {
  const at = text.lastIndexOf('=');
  const [input, output, ...more] = text
    .slice(at + 1)
    .split(',')
    .map(dollars);
  if (input === undefined || output === undefined || more.length > 0 || at === 0)
    throw new InvalidArgumentError('give IN,OUT in USD for a million tokens, or MODEL=IN,OUT, e.g. 3,15.');
  return [...(previous ?? []), { model: at === -1 ? null : text.slice(0, at), input, output }];
}

/** `2=VALUE`, of the second subtask; may be given several times. */
export function ofSubtask(
  text: string,
  previous: { subtask: string; value: string }[] | undefined,
): { subtask: string; value: string }[] {
  const at = text.indexOf('=');
  const [subtask, value] = [text.slice(0, at).trim(), text.slice(at + 1).trim()];
  if (at < 1 || subtask === '' || value === '')
    throw new InvalidArgumentError('give the number or id of a subtask and what is its, e.g. 2=VALUE.');
  return [...(previous ?? []), { subtask, value }];
}

function dollars(text: string): number {
  if (!/^\s*(\d+(\.\d*)?|\.\d+)\s*$/.test(text))
    throw new InvalidArgumentError(
      `'${text}' is no price: give IN,OUT in USD for a million tokens, e.g. 3,15.`,
    );
  return Number(text);
}
