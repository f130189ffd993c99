import { describe, expect, it } from 'vitest';
import { slices } from './slices.ts';
import { edited, textsOf } from './texts.fixture.ts';

describe('slices', () => {
  it('a slice or an index added', async () => {
    const source = 'def f(arr, k):\n    heap = arr[:k]\n    for x in arr:\n        g(x, arr)\n';
    const texts = await textsOf(slices, source);
    expect(texts).toContain(edited(source, 'in arr:', 'in arr[k:]:'));
    expect(texts).toContain(edited(source, 'in arr:', 'in arr[1:]:'));
    expect(texts).toContain(edited(source, 'g(x, arr)', 'g(x, arr[-1])'));
    expect(texts).toContain(edited(source, 'g(x, arr)', 'g(x, arr[:])'));
  });

  it('an end opened', async () => {
    const source = 'def f(a, i, j):\n    return a[i:j]\n';
    const texts = await textsOf(slices, source);
    expect(texts).toContain(edited(source, 'a[i:j]', 'a[i:]'));
    expect(texts).toContain(edited(source, 'a[i:j]', 'a[:j]'));
  });
});
