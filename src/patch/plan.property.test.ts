import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Edit, FileChange } from '../core/index.ts';
import { applyDiff } from './apply-diff.ts';
import { composeChanges, invertChanges } from './compose.ts';
import { diffOf } from './diff.ts';
import { editsFromDiff } from './edits-from-diff.ts';
import { planEdits } from './plan.ts';
import { applied, bytesOf, openPolicy, readerOf, type Tree } from './testing.ts';
import { contentArb, treeArb, wordArb } from './testing-arbitraries.ts';
import { splitLines } from './text.ts';
import { hashOf } from './tree-state.ts';

const policy = { ...openPolicy, allowWholeFile: true };
const lf = (text: string) => text.replaceAll('\r\n', '\n');
const textOf = (content: Tree[string] | undefined) => Buffer.from(bytesOf(content ?? '')).toString();

function plan(tree: Tree, edits: Edit[]) {
  return planEdits({ edits, read: readerOf(tree), files: Object.keys(tree), policy });
}

function changesBetween(before: Tree, after: Tree): FileChange[] {
  const paths = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  const at = (tree: Tree, path: string) => (tree[path] === undefined ? null : bytesOf(tree[path]));
  return paths
    .map((path) => ({ path, before: at(before, path), after: at(after, path), mode: 0o644 }))
    .filter(
      (change) =>
        change.before === null || change.after === null || !Buffer.from(change.before).equals(change.after),
    );
}

const asBytes = (tree: Tree) =>
  Object.fromEntries(
    Object.entries(tree).map(([path, content]) => [path, Buffer.from(bytesOf(content)).toString('latin1')]),
  );

/** A file, a span of its text, and what to put there. */
const spanArb = fc
  .tuple(
    contentArb,
    fc.nat(),
    fc.nat(),
    fc.array(
      wordArb.filter((word) => !word.endsWith('\r')),
      { maxLength: 3 },
    ),
    fc.boolean(),
  )
  .map(([content, from, length, words, newline]) => {
    const body = lf(content.replace(/^\uFEFF/, ''));
    const start = body.length === 0 ? 0 : from % body.length;
    const end = start + (length % (body.length - start + 1));
    return {
      content,
      body,
      start,
      end,
      replace: words.join('\n') + (newline && words.length > 0 ? '\n' : ''),
    };
  });

describe('any replace that applies', () => {
  it('changes the quoted span and not one byte beside it', () => {
    let applying = 0;
    fc.assert(
      fc.property(spanArb, ({ content, body, start, end, replace }) => {
        const search = body.slice(start, end);
        // A lone \r that comes to stand before a \n is a line ending by itself: nothing to compare.
        const expected = body.slice(0, start) + replace + body.slice(end);
        if (search.trim() === '' || search === replace || `${body}${expected}`.includes('\r\n')) return;
        const starts = Array.from({ length: start + 1 }, (_, at) => at).filter((at) =>
          body.startsWith(search, at),
        );
        const whole = search.endsWith('\n');
        const lineStarts = starts.filter((at) => !whole || at === 0 || body[at - 1] === '\n');
        // A search of whole lines that begins inside a line is read more loosely than counted here.
        if (whole && lineStarts.at(-1) !== start) return;
        const occurrence = (whole ? lineStarts : starts).length;
        const planned = plan({ f: content }, [{ op: 'replace', path: 'f', search, replace, occurrence }]);
        if (!planned.ok) throw new Error(JSON.stringify(planned.refusals));
        applying += 1;
        const after = textOf(planned.patch.changes[0]?.after ?? undefined);
        // The text, line endings apart, is what a plain replacement gives.
        expect(lf(after.replace(/^\uFEFF/, ''))).toBe(expected);
        // Every line before and after the span is there to the byte.
        const lines = splitLines(content);
        const firstLine = body.slice(0, start).split('\n').length - 1;
        const lastLine = body.slice(0, end).split('\n').length;
        const render = (part: typeof lines) => part.map((line) => line.text + line.eol).join('');
        expect(after.startsWith(render(lines.slice(0, firstLine)))).toBe(true);
        expect(after.endsWith(render(lines.slice(lastLine)))).toBe(true);
        // Lines that are added take the dominant line ending or that of a line they replace.
        const endings = new Set(lines.map((line) => line.eol).filter((eol) => eol !== ''));
        const [only] = endings;
        if (endings.size === 1) {
          expect(splitLines(after).every((line) => line.eol === '' || line.eol === only)).toBe(true);
        }
      }),
      { numRuns: 3000 },
    );
    expect(applying > 1000).toBe(true);
  });

  it('does the same when the search has lost its trailing blanks, its indentation or its typography', () => {
    const found = new Map<string, number>();
    const damages: [string, (text: string) => string][] = [
      ['blanks', (text) => text.replace(/[ \t]*\n/g, '  \n')],
      ['indentation', (text) => text.replace(/^(?=.*\S)/gm, '    ')],
      ['typography', (text) => text.replaceAll('“', '"').replaceAll('”', '"').normalize('NFD')],
    ];
    fc.assert(
      fc.property(spanArb, fc.constantFrom(...damages), ({ content, body, start, end }, [name, damage]) => {
        const lineStart = body.lastIndexOf('\n', start - 1) + 1;
        const lineEnd = body.indexOf('\n', end) + 1;
        const lines = lineEnd === 0 ? '' : body.slice(lineStart, lineEnd);
        const search = damage(lines);
        if (lines.trim() === '' || lines.includes('\r') || search === lines) return;
        const shift = name === 'indentation' ? '    ' : '';
        const planned = plan({ f: content }, [
          { op: 'replace', path: 'f', search, replace: `${search}${shift}added\n` },
        ]);
        if (!planned.ok) {
          expect(planned.refusals.map((problem) => problem.code)).toEqual(['ambiguous']);
          return;
        }
        found.set(name, (found.get(name) ?? 0) + 1);
        const after = lf(textOf(planned.patch.changes[0]?.after ?? undefined).replace(/^\uFEFF/, ''));
        // Exactly one line came in; all others are as they were, damage to the search or not.
        const at = after.split('\n').indexOf('added');
        expect(at === -1 ? after : after.split('\n').toSpliced(at, 1).join('\n')).toBe(body);
      }),
      { numRuns: 3000 },
    );
    expect([...found.values()].every((count) => count > 50) && found.size === 3).toBe(true);
  });
});

describe('several edits of one file', () => {
  it('speak of its original text, in whatever order they come', () => {
    const linesArb = fc.array(
      wordArb.filter((word) => word.trim() !== '' && !word.includes('\r')),
      { minLength: 1, maxLength: 12 },
    );
    const picksArb = fc.uniqueArray(fc.tuple(fc.nat(11), fc.constantFrom('', 'new\n', 'a\n', 'a\nb\n')), {
      selector: ([line]) => line,
      maxLength: 6,
    });
    let several = 0;
    fc.assert(
      fc.property(linesArb, picksArb, (lines, picks) => {
        const chosen = picks.filter(
          ([line, replace]) => line < lines.length && `${lines[line]}\n` !== replace,
        );
        if (chosen.length === 0) return;
        several += chosen.length > 1 ? 1 : 0;
        const edits = chosen.map(([line, replace]): Edit => {
          const occurrence = lines.slice(0, line + 1).filter((other) => other === lines[line]).length;
          return { op: 'replace', path: 'f', search: `${lines[line]}\n`, replace, occurrence };
        });
        const content = lines.map((line) => `${line}\n`).join('');
        const expected = lines
          .map((line, at) => chosen.find(([pick]) => pick === at)?.[1] ?? `${line}\n`)
          .join('');
        if (expected === content) return;
        for (const order of [edits, edits.toReversed()]) {
          const planned = plan({ f: content }, order);
          if (planned.ok) expect(textOf(planned.patch.changes[0]?.after ?? undefined)).toBe(expected);
          // Two insertions that meet at one place have no order.
          else expect(planned.refusals.map((problem) => problem.code)).toContain('overlap');
        }
      }),
      { numRuns: 1000 },
    );
    expect(several > 200).toBe(true);
  });
});

describe('diffs', () => {
  it('of any changes give the changes back', () => {
    fc.assert(
      fc.property(treeArb, treeArb, (before, after) => {
        const changes = changesBetween(before, after);
        const back = applyDiff(diffOf(changes), readerOf(before));
        if (!back.ok) throw new Error(back.because);
        expect(asBytes(applied(before, back.changes))).toEqual(asBytes(after));
        expect(diffOf(back.changes)).toBe(diffOf(changes));
      }),
      { numRuns: 500 },
    );
  });

  it('are known where they were applied already, wholly or up to one file', () => {
    fc.assert(
      fc.property(treeArb, treeArb, fc.nat(), (before, after, cut) => {
        const changes = changesBetween(before, after);
        const diff = diffOf(changes);
        const hashes = new Map(
          Object.entries(before).map(([path, content]) => [path, hashOf(bytesOf(content))]),
        );
        // A rename is two changes that are told as one: between the two the diff fits neither way.
        const whole = diff.includes('\nrename from ');
        const done = whole ? changes.length : cut % (changes.length + 1);
        const halfway = applied(before, changes.slice(0, done));
        const back = applyDiff(diff, readerOf(halfway), hashes);
        if (!back.ok) throw new Error(back.because);
        expect(asBytes(applied(before, back.changes))).toEqual(asBytes(after));
        expect(diffOf(back.changes)).toBe(diff);
      }),
      { numRuns: 500 },
    );
  });

  it('read as edits lead to the same tree', () => {
    let read = 0;
    const unify = (tree: Tree): Tree =>
      Object.fromEntries(
        Object.entries(tree).map(([path, content]) => [path, textOf(content).replaceAll(/[\r\uFEFF]/g, '')]),
      );
    fc.assert(
      fc.property(treeArb.map(unify), treeArb.map(unify), (before, after) => {
        const diff = diffOf(changesBetween(before, after));
        if (diff === '') return;
        const parsed = editsFromDiff(diff, { read: readerOf(before) });
        if (!parsed.ok) {
          // Lines added to a file of blank lines have no context to be found by.
          expect(parsed.refusals.map((problem) => problem.code)).toEqual(
            parsed.refusals.map(() => 'empty_search'),
          );
          return;
        }
        const planned = plan(before, parsed.edits);
        if (!planned.ok) {
          expect(new Set(planned.refusals.map((problem) => problem.code))).toEqual(new Set(['empty_search']));
          return;
        }
        read += 1;
        expect(asBytes(applied(before, planned.patch.changes))).toEqual(asBytes(after));
      }),
      { numRuns: 500 },
    );
    expect(read > 300).toBe(true);
  });

  it('compose: two patches in a row are one, and inverting takes all back', () => {
    fc.assert(
      fc.property(treeArb, treeArb, treeArb, (one, two, three) => {
        const whole = composeChanges(changesBetween(one, two), changesBetween(two, three));
        expect(asBytes(applied(one, whole))).toEqual(asBytes(three));
        expect(diffOf(whole)).toBe(diffOf(changesBetween(one, three)));
        expect(asBytes(applied(three, invertChanges(whole)))).toEqual(asBytes(one));
        expect(composeChanges(whole, invertChanges(whole))).toEqual([]);
      }),
      { numRuns: 500 },
    );
  });

  it('compose only what was made on top', () => {
    const first = changesBetween({ a: 'x' }, { a: 'y' });
    expect(() => composeChanges(first, changesBetween({ a: 'z' }, { a: 'w' }))).toThrow('a differs');
  });
});
