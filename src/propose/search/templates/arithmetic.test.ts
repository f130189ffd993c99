import { describe, expect, it } from 'vitest';
import { arithmetic } from './arithmetic.ts';
import { edited, textsOf } from './texts.fixture.ts';

describe('arithmetic', () => {
  it('another operator', async () => {
    const source = 'def f(a, b, xs):\n    return a - b\n';
    const texts = await textsOf(arithmetic, source);
    expect(texts).toContain(edited(source, 'a - b', 'a + b'));
    expect(texts).toContain(edited(source, 'a - b', 'b - a'));
  });

  it('integer for true division, and back', async () => {
    const source = 'def f(a, b, xs):\n    xs //= 2\n    return a / b + b // a\n';
    const texts = await textsOf(arithmetic, source);
    expect(texts).toContain(edited(source, 'a / b', 'a // b'));
    expect(texts).toContain(edited(source, 'b // a', 'b / a'));
    expect(texts).toContain(edited(source, 'xs //= 2', 'xs /= 2'));
  });

  it('the other shift', async () => {
    const source = 'def f(a, b, n):\n    n <<= 1\n    a >>= 1\n    return a << n, b >> n\n';
    const texts = await textsOf(arithmetic, source);
    expect(texts).toContain(edited(source, 'a << n', 'a >> n'));
    expect(texts).toContain(edited(source, 'b >> n', 'b << n'));
    expect(texts).toContain(edited(source, 'n <<= 1', 'n >>= 1'));
    expect(texts).toContain(edited(source, 'a >>= 1', 'a <<= 1'));
    expect(texts).toContain(edited(source, 'a << n', 'n << a'));
  });

  it('bit operators', async () => {
    const source = 'def f(a, b, xs):\n    a ^= a - 1\n    return a & b\n';
    const texts = await textsOf(arithmetic, source);
    expect(texts).toContain(edited(source, '^=', '&='));
    expect(texts).toContain(edited(source, 'a & b', 'a | b'));
  });

  it('assignment for an augmented one and back', async () => {
    const source = 'def f(xs):\n    total = 0\n    for x in xs:\n        total = x\n    return total\n';
    const texts = await textsOf(arithmetic, source);
    expect(texts).toContain(edited(source, 'total = x', 'total += x'));
  });

  it('no swap of numbers added', async () => {
    const source = 'def f():\n    return 1 + 2\n';
    const texts = await textsOf(arithmetic, source);
    expect(texts).toContain(edited(source, '1 + 2', '1 - 2'));
    expect(texts).not.toContain(edited(source, '1 + 2', '2 + 1'));
  });
});
