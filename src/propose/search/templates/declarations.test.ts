import { describe, expect, it } from 'vitest';
import { declarations } from './declarations.ts';
import { edited, textsOf } from './texts.fixture.ts';

describe('declarations', () => {
  it('of a name from the function around, and from the module', async () => {
    const source =
      'n = 0\n\ndef f():\n    k = 0\n    def g():\n        k += 1\n        return k\n    n = 2\n    return g\n';
    const texts = await textsOf(declarations, source);
    expect(texts).toContain(edited(source, '        k += 1\n', '        nonlocal k\n        k += 1\n'));
    expect(texts).toContain(edited(source, '    k = 0\n', '    global n\n    k = 0\n'));
    expect(texts).toHaveLength(2);
  });
});
