import { describe, expect, it } from 'vitest';
import { names } from './names.ts';
import { edited, textsOf } from './texts.fixture.ts';

describe('names', () => {
  it('another variable in reach', async () => {
    const source = 'LIMIT = 3\n\ndef f(start, end):\n    helper = start\n    return (start, helper)\n';
    const texts = await textsOf(names, source);
    expect(texts).toContain(edited(source, '(start, helper)', '(start, end)'));
    expect(texts).toContain(edited(source, '(start, helper)', '(start, LIMIT)'));
    expect(texts).not.toContain(edited(source, '(start, helper)', '(start, f)'));
  });

  it('a variable of a comprehension only inside it', async () => {
    const source = 'def f(xs, k):\n    return [k for x in xs]\n';
    const texts = await textsOf(names, source);
    expect(texts).toContain(edited(source, '[k for', '[x for'));
    expect(texts).not.toContain(edited(source, 'in xs]', 'in x]'));
  });

  it("an attribute of the method's own object", async () => {
    const source =
      'class A:\n    def __init__(self, size):\n        self.size = size\n\n    def f(self, n):\n        return n\n';
    const texts = await textsOf(names, source);
    expect(texts).toContain(edited(source, 'return n', 'return self.size'));
  });

  it('no place where a name is only a label', async () => {
    const source = 'def f(a, b):\n    import os\n    return g(a=b).a\n';
    const texts = await textsOf(names, source);
    expect(texts).toContain(edited(source, 'a=b', 'a=a'));
    expect(texts).not.toContain(edited(source, 'g(a=', 'g(b='));
    expect(texts).not.toContain(edited(source, ').a', ').b'));
    expect(texts).not.toContain(edited(source, 'def f(a,', 'def f(b,'));
  });
});
