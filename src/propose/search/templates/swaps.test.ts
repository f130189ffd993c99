import { describe, expect, it } from 'vitest';
import { swaps } from './swaps.ts';
import { edited, textsOf } from './texts.fixture.ts';

describe('swaps', () => {
  it('arguments, indices, elements and branches', async () => {
    const source = 'def f(a, b, c):\n    x = g(a, b, c)\n    y = d[a, b]\n    return (a, b), a if c else b\n';
    const texts = await textsOf(swaps, source);
    expect(texts).toContain(edited(source, 'g(a, b, c)', 'g(b, a, c)'));
    expect(texts).toContain(edited(source, 'g(a, b, c)', 'g(c, b, a)'));
    expect(texts).toContain(edited(source, 'd[a, b]', 'd[b, a]'));
    expect(texts).toContain(edited(source, '(a, b),', '(b, a),'));
    expect(texts).toContain(edited(source, 'a if c else b', 'b if c else a'));
  });

  it('values of keyword arguments', async () => {
    const source = 'def f(a, b):\n    return g(low=a, high=b)\n';
    const texts = await textsOf(swaps, source);
    expect(texts).toContain(edited(source, 'low=a, high=b', 'low=b, high=a'));
    expect(texts).not.toContain(edited(source, 'low=a, high=b', 'high=b, low=a'));
  });
});
