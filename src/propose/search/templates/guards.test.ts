import { describe, expect, it } from 'vitest';
import { guards } from './guards.ts';
import { edited, textsOf } from './texts.fixture.ts';

describe('guards', () => {
  it('an early return', async () => {
    const source =
      'def f(xs):\n    return xs[0]\n\ndef g(xs):\n    if xs:\n        return []\n    return xs[0]\n';
    const texts = await textsOf(guards, source);
    expect(texts).toContain(
      edited(source, 'def f(xs):\n', 'def f(xs):\n    if not xs:\n        return xs\n'),
    );
    expect(texts).toContain(
      edited(
        source,
        '        return []\n    return',
        '        return []\n    if xs is None:\n        return []\n    return',
      ),
    );
  });

  it('a statement made conditional', async () => {
    const source = 'def f(node, word):\n    node.size = word\n    if not node.done:\n        return 1\n';
    const texts = await textsOf(guards, source);
    expect(texts).toContain(
      edited(source, '    node.size = word', '    if not node.done:\n        node.size = word'),
    );
  });

  it('leaving a round of a loop', async () => {
    const source = 'def f(xs):\n    for x in xs:\n        g(x.y)\n';
    const texts = await textsOf(guards, source);
    expect(texts).toContain(
      edited(source, '        g(x.y)', '        if x is None:\n            continue\n        g(x.y)'),
    );
  });
});
