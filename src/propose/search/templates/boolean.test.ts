import { describe, expect, it } from 'vitest';
import { booleans } from './boolean.ts';
import { edited, textsOf } from './texts.fixture.ts';

describe('booleans', () => {
  it('the other connective and single clauses', async () => {
    const source = 'def f(a, b, xs):\n    if a and b:\n        return 1\n    return 2\n';
    const texts = await textsOf(booleans, source);
    expect(texts).toContain(edited(source, 'a and b', 'a or b'));
    expect(texts).toContain(edited(source, 'if a and b', 'if a'));
    expect(texts).toContain(edited(source, 'if a and b', 'if b'));
  });

  it('negation put in and taken out', async () => {
    const source = 'def f(a, b, xs):\n    if xs:\n        return 1\n    if not a:\n        return 2\n';
    const texts = await textsOf(booleans, source);
    expect(texts).toContain(edited(source, 'if xs', 'if not xs'));
    expect(texts).toContain(edited(source, 'if not a', 'if a'));
  });

  it('parentheses moved', async () => {
    const source = 'def f(a, b, xs):\n    return a and b or xs\n';
    const texts = await textsOf(booleans, source);
    expect(texts).toContain(edited(source, 'a and b or xs', 'a and (b or xs)'));
  });
});
