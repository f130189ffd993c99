import { describe, expect, it } from 'vitest';
import { elements } from './elements.ts';
import { edited, textsOf } from './texts.fixture.ts';

describe('elements', () => {
  it('one more, one fewer, a tie-break', async () => {
    const source = 'def f(a, b, xs):\n    t = (a, b, 1)\n    return sorted(xs, key=lambda x: a[x]), [a]\n';
    const texts = await textsOf(elements, source);
    expect(texts).toContain(edited(source, '(a, b, 1)', '(a, b)'));
    expect(texts).toContain(edited(source, 'lambda x: a[x]', 'lambda x: (a[x], x)'));
    expect(texts).toContain(edited(source, '[a]\n', '[a, b]\n'));
  });
});
