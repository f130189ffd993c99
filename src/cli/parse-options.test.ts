import { describe, expect, it } from 'vitest';
import { bytes, positiveInteger, positiveNumber } from './parse-options.ts';

describe('argument parsers', () => {
  it('reads sizes', () => {
    expect(['1', '1K', '1.5M', '2G', '2GiB', '3mb'].map(bytes)).toEqual([
      1,
      1024,
      1572864,
      2 ** 31,
      2 ** 31,
      3 * 2 ** 20,
    ]);
  });

  it.each(['', '0', '-1', 'x', '1.5', '1e400', 'Infinity', '9007199254740993'])(
    'refuses %j as a whole number',
    (text) => {
      expect(() => positiveInteger(text)).toThrow('whole number');
    },
  );

  it.each(['', '0', '-0.1', 'x', 'NaN', 'Infinity'])('refuses %j as a number', (text) => {
    expect(() => positiveNumber(text)).toThrow('above 0');
  });

  it.each(['', '0', 'M', '5X', '-5M'])('refuses %j as a size', (text) => {
    expect(() => bytes(text)).toThrow('size');
  });
});
