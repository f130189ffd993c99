import { describe, expect, it } from 'vitest';
import { assignments } from './assignments.ts';
import { edited, textsOf } from './texts.fixture.ts';

describe('assignments', () => {
  it('another target', async () => {
    const source = 'def f(nodes, edges, u, v):\n    x = nodes[v]\n    edges[u, v] = min(x, 1)\n';
    const texts = await textsOf(assignments, source);
    expect(texts).toContain(edited(source, 'edges[u, v] =', 'nodes[v] ='));
  });

  it('assigned instead of updated, and back', async () => {
    const source = 'def f(g, n, u):\n    g[n].update(g[u])\n    seen = set()\n    seen = u\n';
    const texts = await textsOf(assignments, source);
    expect(texts).toContain(edited(source, 'g[n].update(g[u])', 'g[n] = g[u]'));
    expect(texts).toContain(edited(source, 'seen = u', 'seen.update(u)'));
  });

  it('a result that was thrown away', async () => {
    const source = 'def f(text, xs):\n    text.strip()\n    sorted(xs)\n    xs = xs.append(1)\n';
    const texts = await textsOf(assignments, source);
    expect(texts).toContain(edited(source, '    text.strip()', '    text = text.strip()'));
    expect(texts).toContain(edited(source, '    sorted(xs)', '    xs = sorted(xs)'));
    expect(texts).toContain(edited(source, 'xs = xs.append(1)', 'xs.append(1)'));
  });
});
