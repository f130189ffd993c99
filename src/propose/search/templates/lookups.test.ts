import { describe, expect, it } from 'vitest';
import { lookups } from './lookups.ts';
import { edited, textsOf } from './texts.fixture.ts';

describe('lookups', () => {
  it('a value for a missing key', async () => {
    const source = 'def f(d, k):\n    d[k] += 1\n    return d[k]\n';
    const texts = await textsOf(lookups, source);
    expect(texts).toContain(edited(source, 'return d[k]', 'return d.get(k)'));
    expect(texts).toContain(edited(source, 'return d[k]', 'return d.get(k, 0)'));
    expect(texts).toContain(edited(source, 'd[k] += 1', 'd[k] = d.get(k, 0) + 1'));
  });

  it('a container for a missing key', async () => {
    const source = 'def f(d, k, x):\n    d[k].append(x)\n    d[x] = [k]\n';
    const texts = await textsOf(lookups, source);
    expect(texts).toContain(edited(source, 'd[k].append', 'd.setdefault(k, []).append'));
    expect(texts).toContain(edited(source, 'd[x] = [k]', 'd.setdefault(x, []).append(k)'));
  });

  it('a default added to a lookup', async () => {
    const source = 'def f(d, k):\n    return d.get(k)\n';
    const texts = await textsOf(lookups, source);
    expect(texts).toContain(edited(source, 'd.get(k)', 'd.get(k, 0)'));
  });

  it('no lookup by number', async () => {
    const source = 'def f(xs):\n    return xs[0]\n';
    const texts = await textsOf(lookups, source);
    expect(texts).not.toContain(edited(source, 'xs[0]', 'xs.get(0)'));
  });
});
