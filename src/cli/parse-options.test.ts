import { describe, expect, it } from 'vitest';
import { bytes, positiveInteger, positiveNumber, price } from './parse-options.ts';

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

  it('reads prices, of one model and of several', () => {
    const first = price('3, 15.5', undefined);
    expect(price('openai-compatible/a=b=0,.5', first)).toEqual([
      { model: null, input: 3, output: 15.5 },
      { model: 'openai-compatible/a=b', input: 0, output: 0.5 },
    ]);
  });

  it.each(['', '3', '3,', '1,2,3', '-1,2', 'a,b', '=1,2', '1e3,2', 'x/y', 'Infinity,1'])(
    'refuses %j as a price',
    (text) => {
      expect(() => price(text, undefined)).toThrow('IN,OUT');
    },
  );
});
