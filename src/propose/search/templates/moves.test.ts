import { describe, expect, it } from 'vitest';
import { moves } from './moves.ts';
import { edited, textsOf } from './texts.fixture.ts';

describe('moves', () => {
  it('neighbours exchanged', async () => {
    const source = 'def f(x):\n    a = x\n    b = a\n    return b\n';
    const texts = await textsOf(moves, source);
    expect(texts).toContain(edited(source, '    a = x\n    b = a\n', '    b = a\n    a = x\n'));
  });

  it('out of a body and into it', async () => {
    const source =
      'def f(xs):\n    n = 0\n    for x in xs:\n        n += x\n        y = n\n    z = n\n    return z\n';
    const texts = await textsOf(moves, source);
    expect(texts).toContain(edited(source, '        y = n\n', '    y = n\n'));
    expect(texts).toContain(edited(source, '    z = n\n    return', '        z = n\n    return'));
  });

  it('out to before a loop', async () => {
    const source = 'def f(xs):\n    for x in xs:\n        n = 0\n        n += x\n    return n\n';
    const texts = await textsOf(moves, source);
    expect(texts).toContain(
      edited(source, '    for x in xs:\n        n = 0\n', '    n = 0\n    for x in xs:\n'),
    );
  });
});
