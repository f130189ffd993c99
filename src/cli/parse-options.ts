import { InvalidArgumentError } from 'commander';

/** Argument parsers for commander: each refuses with a sentence that says what is wanted. */

export function positiveInteger(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < 1)
    throw new InvalidArgumentError('give a whole number of 1 or more.');
  return value;
}

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

/** For an option that may be given several times. */
export function collect(text: string, previous: string[] | undefined): string[] {
  return [...(previous ?? []), text];
}
