import { describe, expect, it } from 'vitest';
import { python } from '../languages/python.ts';
import { descend } from '../syntax/node.ts';
import { openParser } from '../syntax/parser.ts';
import { parseFile, textOf } from '../syntax/source-file.ts';
import { indexFile } from './file-index.ts';
import { visibleNames, visibleValues } from './names.ts';

const source = `import heapq
LIMIT = 3


class Store:
    kind = 'shop'

    def __init__(self, size, names=()):
        self.size = size + 1
        self.items = []

    def add(self, item, never_used):
        seen = set()
        for count, other in enumerate(self.items):
            key = other.name
            if count > self.size:
                return [part for part in other.parts if part]
        text = item.strip()
        return helper(text, seen)


def helper(text, seen):
    return text
`;

async function indexed() {
  const parser = await openParser(python);
  const index = indexFile(parseFile('store.py', source, parser));
  parser.close();
  return index;
}

describe('what a place can see', () => {
  const at = async (line: number, part: string) => {
    const index = await indexed();
    const site = index.sites.find((one) => one.from === line);
    const node =
      site && descend(site.node).find((one) => one.role === 'identifier' && textOf(index.file, one) === part);
    if (site === undefined || node === undefined) throw new Error(`no ${part} in line ${line}`);
    return { index, site, node };
  };

  it('is what the function, the functions around and the module bind, no class body', async () => {
    const { index, site, node } = await at(18, 'item');
    const names = visibleNames(index, site, node).map(({ name }) => name);
    expect(names).toEqual(
      expect.arrayContaining(['item', 'seen', 'count', 'other', 'key', 'LIMIT', 'helper', 'heapq']),
    );
    expect(names).not.toContain('kind');
    expect(names).not.toContain('part');
  });

  it('is, as values, variables and own attributes, what is never used first and the nearest before the far', async () => {
    const { index, site, node } = await at(18, 'item');
    const values = visibleValues(index, site, node).map(({ name }) => name);
    expect(values[0]).toBe('never_used');
    expect(values.indexOf('item')).toBeLessThan(values.indexOf('key'));
    expect(values).toEqual(expect.arrayContaining(['self.items', 'self.size', 'LIMIT']));
    for (const name of ['self', 'helper', 'Store', 'heapq', 'self.add']) expect(values).not.toContain(name);
  });

  it('holds the names of a comprehension inside it, not where it looks first', async () => {
    const inside = await at(17, 'part');
    expect(visibleNames(inside.index, inside.site, inside.node).map(({ name }) => name)).toContain('part');
    const outside = await at(17, 'other');
    expect(visibleNames(outside.index, outside.site, outside.node).map(({ name }) => name)).not.toContain(
      'part',
    );
  });
});

describe('shapes', () => {
  it('are guessed from literals, known calls, use and what a constructor stores', async () => {
    const index = await indexed();
    const scope = [...index.scopes.values()].find(({ name }) => name === 'add');
    if (scope === undefined) throw new Error('no add');
    const { ofName, ofMember } = index.shapes;
    expect([ofName('seen', scope), ofName('text', scope), ofName('item', scope)]).toEqual([
      'set',
      'text',
      'text',
    ]);
    expect([ofMember('items', scope), ofMember('size', scope), ofMember('add', scope)]).toEqual([
      'list',
      'number',
      'callable',
    ]);
    expect(ofName('key', scope)).toBeNull();
  });
});
