import { describe, expect, it } from 'vitest';
import { members } from './members.ts';
import { edited, textsOf } from './texts.fixture.ts';

describe('members', () => {
  it('an attribute read elsewhere', async () => {
    const source = 'def f(node, queue):\n    if node.incoming_nodes:\n        return node.outgoing_nodes\n';
    const texts = await textsOf(members, source);
    expect(texts).toContain(edited(source, 'return node.outgoing_nodes', 'return node.incoming_nodes'));
  });

  it('a method of the same family', async () => {
    const source = 'def f(xs, s):\n    xs.append(s.lower())\n';
    const texts = await textsOf(members, source);
    expect(texts).toContain(edited(source, 'append', 'extend'));
    expect(texts).toContain(edited(source, 'lower', 'upper'));
  });

  it('a missing or superfluous receiver', async () => {
    const source =
      'class A:\n    def __init__(self):\n        self.fee = 1\n\n    def f(self, amount):\n        return amount + fee\n\n    def g(self, fee):\n        return self.fee\n';
    const texts = await textsOf(members, source);
    expect(texts).toContain(edited(source, '+ fee', '+ self.fee'));
    expect(texts).toContain(edited(source, 'return self.fee', 'return fee'));
  });

  it('a method that was named, not called', async () => {
    const source =
      'class A:\n    def total(self):\n        return 1\n\n    def f(self):\n        return self.total\n';
    const texts = await textsOf(members, source);
    expect(texts).toContain(edited(source, 'return self.total', 'return self.total()'));
  });

  it('an attribute of what was meant as a whole', async () => {
    const source = 'def f(account, other):\n    name = account.owner\n    return other\n';
    const texts = await textsOf(members, source);
    expect(texts).toContain(edited(source, 'return other', 'return other.owner'));
  });
});
