import { describe, expect, it } from 'vitest';
import { edited, textsOf } from './testing.ts';
import { wraps } from './wraps.ts';

describe('wraps', () => {
  it('held by what was best so far', async () => {
    const source =
      'def f(xs):\n    longest = 0\n    for x in xs:\n        longest = len(x) + 1\n    return longest\n';
    const texts = await textsOf(wraps, source);
    expect(texts).toContain(edited(source, 'longest = len(x) + 1', 'longest = max(longest, len(x) + 1)'));
  });

  it('held within bounds', async () => {
    const source = 'def f(total, size):\n    total = total + size * 2\n    return xs[size - 1]\n';
    const texts = await textsOf(wraps, source);
    expect(texts).toContain(edited(source, 'total + size * 2', 'max(0, total + size * 2)'));
    expect(texts).toContain(edited(source, 'xs[size - 1]', 'xs[min(len(xs) - 1, size - 1)]'));
  });

  it('a call or a method that is missing', async () => {
    const source = 'def f(xs, text=""):\n    for x in sorted(xs):\n        y = text\n    return xs == 3\n';
    const texts = await textsOf(wraps, source);
    expect(texts).toContain(edited(source, 'y = text', 'y = text.lower()'));
    expect(texts).toContain(edited(source, 'return xs ==', 'return len(xs) =='));
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
