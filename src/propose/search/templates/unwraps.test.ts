import { describe, expect, it } from 'vitest';
import { edited, textsOf } from './texts.fixture.ts';
import { unwraps } from './unwraps.ts';

describe('unwraps', () => {
  it('the operand alone', async () => {
    const source = 'def f(x):\n    return flatten(x)\n';
    const texts = await textsOf(unwraps, source);
    expect(texts).toContain(edited(source, 'flatten(x)', 'x'));
  });

  it('a method, a slice, a conditional', async () => {
    const source = 'def f(x, y):\n    a = x.strip()\n    b = x[1:]\n    return x if a else y\n';
    const texts = await textsOf(unwraps, source);
    expect(texts).toContain(edited(source, 'x.strip()', 'x'));
    expect(texts).toContain(edited(source, 'x[1:]', 'x'));
    expect(texts).toContain(edited(source, 'x if a else y', 'y'));
  });
});
