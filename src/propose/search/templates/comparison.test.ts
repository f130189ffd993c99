import { describe, expect, it } from 'vitest';
import { comparison } from './comparison.ts';
import { edited, textsOf } from './texts.fixture.ts';

describe('comparison', () => {
  it('another operator', async () => {
    const source = 'def f(a, b, xs):\n    return a < b\n';
    const texts = await textsOf(comparison, source);
    expect(texts).toContain(edited(source, 'a < b', 'a <= b'));
    expect(texts).toContain(edited(source, 'a < b', 'a > b'));
    expect(texts).toContain(edited(source, 'a < b', 'a >= b'));
    expect(texts).toContain(edited(source, 'a < b', 'a == b'));
  });

  it('identity for equality', async () => {
    const source = 'def f(a, b, xs):\n    return a == b\n';
    const texts = await textsOf(comparison, source);
    expect(texts).toContain(edited(source, '==', 'is'));
    expect(texts).toContain(edited(source, '==', '!='));
  });

  it('each operator of a chain', async () => {
    const source = 'def f(a, b, xs):\n    return 0 <= a < b\n';
    const texts = await textsOf(comparison, source);
    expect(texts).toContain(edited(source, '0 <= a', '0 < a'));
    expect(texts).toContain(edited(source, 'a < b', 'a <= b'));
  });

  it('swapped sides where no mirrored operator says the same', async () => {
    const source = 'def f(a, b, xs):\n    return a in xs\n';
    const texts = await textsOf(comparison, source);
    expect(texts).toContain(edited(source, 'a in xs', 'a not in xs'));
    expect(texts).toContain(edited(source, 'a in xs', 'xs in a'));
  });
});
