import { describe, expect, it } from 'vitest';
import { defaults } from './defaults.ts';
import { edited, textsOf } from './texts.fixture.ts';

describe('defaults', () => {
  it('a default made anew', async () => {
    const source = 'def f(x, seen=[]):\n    """Text."""\n    seen.append(x)\n    return seen\n';
    const texts = await textsOf(defaults, source);
    expect(texts).toContain(
      edited(
        source,
        'seen=[]):\n    """Text."""\n',
        'seen=None):\n    """Text."""\n    if seen is None:\n        seen = []\n',
      ),
    );
  });

  it('none that cannot change', async () => {
    const source = 'def f(x, n=1, t=(), s="a"):\n    return x\n';
    const texts = await textsOf(defaults, source);
    expect(texts).not.toContain(edited(source, 'n=1', 'n=None'));
  });
});
