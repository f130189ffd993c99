import { describe, expect, it } from 'vitest';
import { edited, textsOf } from './texts.fixture.ts';
import { wraps } from './wraps.ts';

describe('wraps', () => {
  it('a call or a method that is missing', async () => {
    const source = 'def f(xs, text=""):\n    for x in sorted(xs):\n        y = text\n    return xs == 3\n';
    const texts = await textsOf(wraps, source);
    expect(texts).toContain(edited(source, 'y = text', 'y = text.lower()'));
    expect(texts).toContain(edited(source, 'return xs ==', 'return len(xs) =='));
  });

  it('an absolute value, of a number and of what may be one', async () => {
    const source = 'def f(a, b, n=0):\n    if a - b > 1:\n        return n\n    return sum([a - b, b])\n';
    const texts = await textsOf(wraps, source);
    expect(texts).toContain(edited(source, 'if a - b >', 'if abs(a - b) >'));
    expect(texts).toContain(edited(source, 'return n', 'return abs(n)'));
    expect(texts).toContain(edited(source, 'sum([a - b', 'sum([abs(a - b)'));
    expect(texts).toContain(edited(source, 'b])', 'abs(b)])'));
  });

  it('an await in a function that may wait', async () => {
    const source =
      'async def f(source):\n    page = source.fetch(1)\n    return page\n\ndef g(source):\n    return source.fetch(2)\n';
    const texts = await textsOf(wraps, source);
    expect(texts).toContain(edited(source, 'source.fetch(1)', 'await source.fetch(1)'));
    expect(texts).not.toContain(edited(source, 'source.fetch(2)', 'await source.fetch(2)'));
  });

  it('a value for none, and a sign', async () => {
    const source = 'def f(xs, n):\n    for x in xs:\n        g(n, x * 2)\n';
    const texts = await textsOf(wraps, source);
    expect(texts).toContain(edited(source, 'in xs:', 'in xs or []:'));
    expect(texts).toContain(edited(source, 'g(n,', 'g(-n,'));
  });
});
