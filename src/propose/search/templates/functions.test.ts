import { describe, expect, it } from 'vitest';
import { functions } from './functions.ts';
import { edited, textsOf } from './texts.fixture.ts';

describe('functions', () => {
  it('the same family', async () => {
    const source = 'def f(xs):\n    return any(x > 0 for x in sorted(xs))\n';
    const texts = await textsOf(functions, source);
    expect(texts).toContain(edited(source, 'any(', 'all('));
    expect(texts).toContain(edited(source, 'sorted(', 'reversed('));
  });

  it('a function of the file that takes as many arguments', async () => {
    const source =
      'def up(x):\n    return x\n\ndef down(x):\n    return x\n\ndef two(x, y):\n    return x\n\ndef f(x):\n    return up(x)\n';
    const texts = await textsOf(functions, source);
    expect(texts).toContain(edited(source, 'return up(x)', 'return down(x)'));
    expect(texts).not.toContain(edited(source, 'return up(x)', 'return two(x)'));
  });

  it('no function that is not there', async () => {
    const source = 'def f(x):\n    return floor(x)\n';
    const texts = await textsOf(functions, source);
    expect(texts).not.toContain(edited(source, 'floor(x)', 'ceil(x)'));
  });
});
