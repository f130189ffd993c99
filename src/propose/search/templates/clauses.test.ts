import { describe, expect, it } from 'vitest';
import { clauses } from './clauses.ts';
import { edited, textsOf } from './texts.fixture.ts';

describe('clauses', () => {
  it('a further clause about what is used', async () => {
    const source = 'def f(coins, total):\n    if total < 0:\n        return 0\n    return coins\n';
    const texts = await textsOf(clauses, source);
    expect(texts).toContain(edited(source, 'total < 0', 'total < 0 or not coins'));
    expect(texts).toContain(edited(source, 'total < 0', 'total < 0 and coins'));
  });

  it('a check for none before what looks inside', async () => {
    const source = 'def f(hare):\n    if hare.next is None:\n        return 0\n';
    const texts = await textsOf(clauses, source);
    expect(texts).toContain(edited(source, 'hare.next is None', 'hare is None or hare.next is None'));
  });

  it('a condition for an endless loop', async () => {
    const source = 'def f(queue):\n    while True:\n        queue.pop()\n';
    const texts = await textsOf(clauses, source);
    expect(texts).toContain(edited(source, 'while True', 'while queue'));
  });

  it('a filter for a comprehension, and none', async () => {
    const source = 'def f(xs):\n    a = [x for x in xs if x > 0]\n    return [x for x in xs]\n';
    const texts = await textsOf(clauses, source);
    expect(texts).toContain(edited(source, 'return [x for x in xs]', 'return [x for x in xs if x > 0]'));
    expect(texts).toContain(edited(source, ' if x > 0', ''));
  });
});
