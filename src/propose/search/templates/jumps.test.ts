import { describe, expect, it } from 'vitest';
import { jumps } from './jumps.ts';
import { edited, textsOf } from './texts.fixture.ts';

describe('jumps', () => {
  it('another way to go on', async () => {
    const source =
      'def f(xs):\n    for x in xs:\n        if x:\n            break\n        if not x:\n            return x\n';
    const texts = await textsOf(jumps, source);
    expect(texts).toContain(edited(source, 'break', 'continue'));
    expect(texts).toContain(edited(source, 'break', 'return x'));
    expect(texts).toContain(edited(source, '            return x', '            continue'));
  });

  it('raising again what was caught', async () => {
    const source = 'def f(x):\n    try:\n        x()\n    except ValueError:\n        pass\n';
    const texts = await textsOf(jumps, source);
    expect(texts).toContain(edited(source, 'pass', 'raise'));
  });

  it('a chain of conditions opened and closed', async () => {
    const source =
      'def f(x):\n    if x:\n        y = 1\n    elif x > 1:\n        y = 2\n    if y:\n        x = 3\n';
    const texts = await textsOf(jumps, source);
    expect(texts).toContain(edited(source, 'elif', 'if'));
    expect(texts).toContain(edited(source, '    if y', '    elif y'));
  });
});
