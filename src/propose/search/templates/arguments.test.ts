import { describe, expect, it } from 'vitest';
import { argumentCount } from './arguments.ts';
import { edited, textsOf } from './texts.fixture.ts';

describe('argumentCount', () => {
  it('one more, one fewer', async () => {
    const source =
      'def make(owner, limit=0):\n    return owner\n\ndef f(owner, limit):\n    return make(owner), make(owner, limit)\n';
    const texts = await textsOf(argumentCount, source);
    expect(texts).toContain(edited(source, 'return make(owner),', 'return make(owner, limit=limit),'));
    expect(texts).toContain(edited(source, 'return make(owner),', 'return make(owner, limit),'));
    expect(texts).toContain(edited(source, 'make(owner, limit)\n', 'make(owner)\n'));
  });

  it('for a constructor', async () => {
    const source =
      'class A:\n    def __init__(self, name, size=1):\n        self.name = name\n\ndef f(name, size):\n    return A(name)\n';
    const texts = await textsOf(argumentCount, source);
    expect(texts).toContain(edited(source, 'A(name)', 'A(name, size)'));
    expect(texts).toContain(edited(source, 'A(name)', 'A(name, size=size)'));
  });
});
