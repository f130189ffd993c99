import { describe, expect, it } from 'vitest';
import { offByOne } from './off-by-one.ts';
import { edited, textsOf } from './texts.fixture.ts';

describe('offByOne', () => {
  it('literals', async () => {
    const source = 'def f(a, b, xs):\n    return xs[0] + a * 3\n';
    const texts = await textsOf(offByOne, source);
    expect(texts).toContain(edited(source, 'xs[0]', 'xs[1]'));
    expect(texts).toContain(edited(source, 'xs[0]', 'xs[-1]'));
    expect(texts).toContain(edited(source, 'a * 3', 'a * 4'));
    expect(texts).toContain(edited(source, 'a * 3', 'a * 2'));
  });

  it('range bounds and indices', async () => {
    const source = 'def f(n, xs):\n    for i in range(n):\n        xs[i] = 1\n    return xs[n:]\n';
    const texts = await textsOf(offByOne, source);
    expect(texts).toContain(edited(source, 'range(n)', 'range(n + 1)'));
    expect(texts).toContain(edited(source, 'range(n)', 'range(n - 1)'));
    expect(texts).toContain(edited(source, 'xs[n:]', 'xs[n + 1:]'));
  });

  it('an argument, with parentheses where they are needed', async () => {
    const source = 'def f(a, b):\n    return f(a, b) * len(b)\n';
    const texts = await textsOf(offByOne, source);
    expect(texts).toContain(edited(source, 'f(a, b) *', 'f(a + 1, b) *'));
    expect(texts).toContain(edited(source, 'len(b)\n', '(len(b) - 1)\n'));
  });

  it('a superfluous one', async () => {
    const source = 'def f(n):\n    return range(n + 1)\n';
    const texts = await textsOf(offByOne, source);
    expect(texts).toContain(edited(source, 'n + 1', 'n'));
  });

  it('a boundary with its operator', async () => {
    const source = 'def f(xs):\n    return len(xs) == 0\n';
    const texts = await textsOf(offByOne, source);
    expect(texts).toContain(edited(source, 'len(xs) == 0', 'len(xs) <= 1'));
  });
});
