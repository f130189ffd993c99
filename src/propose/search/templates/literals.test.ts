import { describe, expect, it } from 'vitest';
import { literals } from './literals.ts';
import { edited, textsOf } from './texts.fixture.ts';

describe('literals', () => {
  it('truth values, signs and numbers', async () => {
    const source = 'def f(xs):\n    best = 0\n    flag = True\n    return -1\n';
    const texts = await textsOf(literals, source);
    expect(texts).toContain(edited(source, 'True', 'False'));
    expect(texts).toContain(edited(source, 'return -1', 'return 1'));
    expect(texts).toContain(edited(source, 'best = 0', "best = float('inf')"));
    expect(texts).toContain(edited(source, 'best = 0', 'best = 1'));
  });

  it('another key of the function first', async () => {
    const source = "def f(d):\n    x = d['price']\n    return d['name']\n";
    const texts = await textsOf(literals, source);
    expect(texts).toContain(edited(source, "d['name']", "d['price']"));
  });

  it('a nested empty list', async () => {
    const source = 'def f(k):\n    return []\n';
    const texts = await textsOf(literals, source);
    expect(texts).toContain(edited(source, '[]', '[[]]'));
  });

  it('a parameter that is never used for a fixed value', async () => {
    const source = 'def f(xs, descending=False):\n    return sorted(xs, reverse=True)\n';
    const texts = await textsOf(literals, source);
    expect(texts).toContain(edited(source, 'reverse=True', 'reverse=descending'));
  });

  it('no documentation string', async () => {
    const source = 'def f(a):\n    """Text."""\n    return "x" + a\n';
    const texts = await textsOf(literals, source);
    expect(texts).not.toContain(edited(source, '"""Text."""', "''"));
    expect(texts).not.toContain(edited(source, '"""Text."""', '"x"'));
  });
});
