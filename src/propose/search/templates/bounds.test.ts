import { describe, expect, it } from 'vitest';
import { bounds } from './bounds.ts';
import { edited, textsOf } from './texts.fixture.ts';

describe('bounds', () => {
  it('held by what was best so far', async () => {
    const source =
      'def f(xs):\n    longest = 0\n    for x in xs:\n        longest = len(x) + 1\n    return longest\n';
    const texts = await textsOf(bounds, source);
    expect(texts).toContain(edited(source, 'longest = len(x) + 1', 'longest = max(longest, len(x) + 1)'));
  });

  it('held within bounds', async () => {
    const source = 'def f(total, size):\n    total = total + size * 2\n    return xs[size - 1]\n';
    const texts = await textsOf(bounds, source);
    expect(texts).toContain(edited(source, 'total + size * 2', 'max(0, total + size * 2)'));
    expect(texts).toContain(edited(source, 'xs[size - 1]', 'xs[min(len(xs) - 1, size - 1)]'));
  });
});
