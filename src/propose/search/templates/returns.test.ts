import { describe, expect, it } from 'vitest';
import { returns } from './returns.ts';
import { edited, textsOf } from './texts.fixture.ts';

describe('returns', () => {
  it('another value', async () => {
    const source = 'def f(n, depth):\n    if n == 1:\n        return []\n    return True\n';
    const texts = await textsOf(returns, source);
    expect(texts).toContain(edited(source, 'return []', 'return [n]'));
    expect(texts).toContain(edited(source, 'return True', 'return depth == 0'));
    expect(texts).toContain(edited(source, 'return True', 'return depth'));
  });

  it('a result that was not returned', async () => {
    const source = 'def f(x):\n    g(x)\n';
    const texts = await textsOf(returns, source);
    expect(texts).toContain(edited(source, '    g(x)', '    return g(x)'));
    expect(texts).toContain(edited(source, '    g(x)\n', '    g(x)\n    return x\n'));
  });

  it('none at the end of a generator', async () => {
    const source = 'def f(x):\n    yield x\n    x += 1\n';
    const texts = await textsOf(returns, source);
    expect(texts).not.toContain(edited(source, '    x += 1\n', '    x += 1\n    return x\n'));
  });
});
