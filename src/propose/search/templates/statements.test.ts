import { describe, expect, it } from 'vitest';
import { statements } from './statements.ts';
import { edited, textsOf } from './texts.fixture.ts';

describe('statements', () => {
  it('deleted, or its condition is', async () => {
    const source = 'def f(x):\n    a = x\n    if a:\n        x = 2\n    return x\n';
    const texts = await textsOf(statements, source);
    expect(texts).toContain(edited(source, '    a = x\n', ''));
    expect(texts).toContain(edited(source, '        x = 2', '        pass'));
    expect(texts).toContain(edited(source, '    if a:\n        x = 2\n', '    x = 2\n'));
  });
});
