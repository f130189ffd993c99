import { describe, expect, it } from 'vitest';
import { insertions } from './insertions.ts';
import { edited, textsOf } from './texts.fixture.ts';

describe('insertions', () => {
  it('into a container', async () => {
    const source =
      'def f(node, goal):\n    seen = set()\n    if node is goal:\n        return True\n    return seen\n';
    const texts = await textsOf(insertions, source);
    expect(texts).toContain(edited(source, '    return seen', '    seen.add(node)\n    return seen'));
  });

  it('one name given to another', async () => {
    const source =
      'def f(node):\n    prev = None\n    while node:\n        nxt = node.next\n        node.next = prev\n        node = nxt\n    return prev\n';
    const texts = await textsOf(insertions, source);
    expect(texts).toContain(edited(source, '        node = nxt', '        prev = node\n        node = nxt'));
  });

  it('a statement again with another name', async () => {
    const source =
      'def f(text):\n    lines = []\n    while text:\n        line, text = text[:3], text[3:]\n        lines.append(line)\n    return lines\n';
    const texts = await textsOf(insertions, source);
    expect(texts).toContain(edited(source, '    return lines', '    lines.append(text)\n    return lines'));
  });

  it('a counter and its start', async () => {
    const source = 'def f(xs):\n    for x in xs:\n        n += x\n    return n\n';
    const texts = await textsOf(insertions, source);
    expect(texts).toContain(edited(source, '    for x', '    n = 0\n    for x'));
  });

  it('a call of a sibling by the names of its parameters', async () => {
    const source =
      'class A:\n    def release(self, article, quantity):\n        return 1\n\n    def ship(self, article, quantity):\n        return 2\n';
    const texts = await textsOf(insertions, source);
    expect(texts).toContain(
      edited(source, '        return 2', '        self.release(article, quantity)\n        return 2'),
    );
  });
});
