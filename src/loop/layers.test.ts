import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Edit } from '../core/index.ts';
import { digestOf, type Ground, layEdits, withChanges } from './layers.ts';

const texts: Record<string, string> = { 'a.py': 'one\ntwo\nthree\n', 'b.py': 'x\n' };
const ground: Ground = {
  files: Object.keys(texts),
  read: (file) => {
    const text = texts[file];
    return text === undefined ? null : { bytes: Buffer.from(text), mode: 0o644 };
  },
  policy: { protectedBecause: () => null, autoLoaded: () => false },
};
const replace = (search: string, by: string): Edit => ({ op: 'replace', path: 'a.py', search, replace: by });

const stateOf = (layers: Edit[][]) => {
  const laid = layEdits(ground, layers);
  if (!laid.ok) throw new Error(JSON.stringify(laid.refusals));
  return { digest: digestOf(laid.changes), changes: laid.changes };
};

describe('layEdits', () => {
  it('lays each layer on the ones before it', () => {
    const { changes } = stateOf([[replace('two', '2')], [replace('2', 'zwei')]]);
    expect(changes.map(({ after }) => Buffer.from(after ?? []).toString())).toEqual(['one\nzwei\nthree\n']);
  });

  it('names the layer that cannot be laid', () => {
    expect(layEdits(ground, [[replace('two', '2')], [replace('two', '3')]])).toMatchObject({
      ok: false,
      layer: 1,
      refusals: [{ code: 'no_match', path: 'a.py' }],
    });
  });

  it('is the same state whatever edits led there, and the original when all is taken back', () => {
    const direct = stateOf([[replace('two', 'deux'), replace('three', 'trois')]]);
    const byWays = stateOf([[replace('three', 'x')], [replace('two', 'deux')], [replace('x', 'trois')]]);
    expect(byWays.digest).toBe(direct.digest);
    expect(stateOf([[replace('two', '2')], [replace('2', 'two')]]).changes).toEqual([]);
  });

  it('has one digest for each set of texts', () => {
    const word = fc.constantFrom('p', 'q', 'r');
    fc.assert(
      fc.property(word, word, word, word, (a, b, c, d) => {
        const one = stateOf([[replace('one', a)], [replace('three', b)]]);
        const other = stateOf([[replace('one', c), replace('three', d)]]);
        expect(one.digest === other.digest).toBe(a === c && b === d);
      }),
    );
  });

  it('sees created, deleted and renamed files in the ground above', () => {
    const { changes } = stateOf([
      [{ op: 'create', path: 'c.py', content: 'new\n' }],
      [
        { op: 'delete', path: 'b.py' },
        { op: 'rename', path: 'c.py', to: 'd.py' },
      ],
    ]);
    const above = withChanges(ground, changes);
    expect(above.files).toEqual(['a.py', 'd.py']);
    expect(above.read('b.py')).toBe(null);
    expect(above.read('d.py')).toEqual({ bytes: new TextEncoder().encode('new\n'), mode: 0o644 });
  });
});
