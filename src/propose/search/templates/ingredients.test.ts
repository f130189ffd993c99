import { describe, expect, it } from 'vitest';
import { ingredients } from './ingredients.ts';
import { edited, textsOf } from './texts.fixture.ts';

describe('ingredients', () => {
  it('another expression of the function', async () => {
    const source =
      'def f(heap, node, length):\n    distance = heap[0]\n    return get(heap, node) + length[node]\n';
    const texts = await textsOf(ingredients, source);
    expect(texts).toContain(edited(source, 'get(heap, node)', 'distance'));
    expect(texts).toContain(edited(source, 'length[node]', 'heap[0]'));
  });

  it('a sibling call for a look-up', async () => {
    const source =
      'class A:\n    def available(self, article):\n        return 1\n\n    def f(self, a):\n        return self.stock[a]\n';
    const texts = await textsOf(ingredients, source);
    expect(texts).toContain(edited(source, 'self.stock[a]', 'self.available(a)'));
  });
});
