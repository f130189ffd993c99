import { describe, expect, it } from 'vitest';
import { terms } from './terms.ts';
import { edited, textsOf } from './texts.fixture.ts';

describe('terms', () => {
  it('a term dropped', async () => {
    const source = 'def f(a, b):\n    return 1 + f(a, b)\n';
    const texts = await textsOf(terms, source);
    expect(texts).toContain(edited(source, '1 + f(a, b)', 'f(a, b)'));
  });

  it('a term added', async () => {
    const source = 'def f(above, k):\n    num = len(above)\n    k = k + 1\n    return f(above, k)\n';
    const texts = await textsOf(terms, source);
    expect(texts).toContain(edited(source, 'f(above, k)\n', 'f(above, k - num)\n'));
  });

  it('a sequence before or after', async () => {
    const source = 'def f(rest):\n    subsets = []\n    return [1] + rest\n';
    const texts = await textsOf(terms, source);
    expect(texts).toContain(edited(source, '[1]', 'subsets + [1]'));
  });

  it('a square', async () => {
    const source = 'def f(x, approx):\n    return abs(x - approx)\n';
    const texts = await textsOf(terms, source);
    expect(texts).toContain(edited(source, 'x - approx', 'x - approx ** 2'));
  });
});
