import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Edit, editSchema } from '../../../core/index.ts';
import { formatEdits } from './text-format.ts';
import { parsePatchText, textFormat } from './text-transport.ts';

const lineArb = fc.oneof(
  fc.constantFrom(
    '',
    '    return 1',
    '=======',
    '==========',
    '```',
    '--- a/x',
    '<',
    '>>>',
    'é “q”',
    '\tx',
    '# path',
  ),
  fc.string({ unit: 'grapheme', maxLength: 30 }).map((text) => text.replaceAll(/[\r\n]/g, '')),
);
const textArb = fc.array(lineArb, { maxLength: 8 }).map((lines) => lines.map((line) => `${line}\n`).join(''));
const pathArb = fc.constantFrom(
  'a.py',
  'src/deep/b.test.ts',
  'with blank.md',
  'Makefile',
  'é/ü.js',
  '.hidden/x',
);
const editArb: fc.Arbitrary<Edit> = fc.oneof(
  fc.record({
    op: fc.constant('replace' as const),
    path: pathArb,
    search: textArb.filter((text) => text.trim() !== ''),
    replace: textArb,
  }),
  fc.record({ op: fc.constant('create' as const), path: pathArb, content: textArb }),
  fc.record({ op: fc.constant('delete' as const), path: pathArb }),
  fc.record({ op: fc.constant('rename' as const), path: pathArb, to: pathArb }),
);
const proseArb = fc.constantFrom('', 'The loop stops early.\n\n', 'Two things:\n- one\n- two\n\n');

describe('parsePatchText', () => {
  it('reads back what formatEdits writes, whatever prose stands in front', () => {
    fc.assert(
      fc.property(fc.array(editArb, { minLength: 1, maxLength: 4 }), proseArb, (edits, prose) => {
        const parsed = parsePatchText(`${prose}${formatEdits(edits)}`);
        expect(parsed).toMatchObject({ ok: true, edits });
        if (prose !== '') expect(parsed.ok && parsed.motivation).toContain(prose.split('\n')[0]);
      }),
      { numRuns: 500 },
    );
  });

  it('reads the format that it asks for', () => {
    expect(parsePatchText(textFormat)).toMatchObject({
      ok: true,
      edits: [{ op: 'replace' }, { op: 'create' }, { op: 'delete' }, { op: 'rename' }],
    });
  });

  it('passes over what a model thinks aloud', () => {
    const draft = formatEdits([{ op: 'delete', path: 'everything' }]);
    const meant: Edit[] = [{ op: 'create', path: 'a', content: 'x\n' }];
    const parsed = parsePatchText(`<think>\nmaybe\n${draft}</think>\nBetter:\n\n${formatEdits(meant)}`);
    expect(parsed).toEqual({ ok: true, motivation: 'Better:', edits: meant });
  });

  it('reads a unified diff in the last resort', () => {
    const text = 'Fix:\n```diff\n--- a/a.py\n+++ b/a.py\n@@ -1,2 +1,2 @@\n x\n-y\n+z\n```\n';
    expect(parsePatchText(text)).toMatchObject({
      ok: true,
      motivation: 'Fix:',
      edits: [{ op: 'replace', path: 'a.py', search: 'x\ny\n', replace: 'x\nz\n' }],
    });
  });

  it.each([
    ['nothing', ' \n', 'is empty'],
    ['prose', 'I cannot see the cause.', 'holds no edit'],
    ['a whole file', 'Here:\n```python\ndef f():\n    return 1\n```\n', 'whole files are not taken'],
    ['a block that is cut', 'a.py\n<<<<<<< SEARCH\nx\n=======\ny', 'never closed'],
  ])('says what is wrong: %s', (_, text, part) => {
    expect(parsePatchText(text)).toMatchObject({ ok: false, problem: expect.stringContaining(part) });
  });

  it('says it in one line, and shows a model below how it is right', () => {
    const parsed = parsePatchText('I cannot see the cause.');
    const [first, ...more] = parsed.ok ? [] : parsed.problem.split('\n');
    expect(first).toBe('The reply holds no edit.');
    expect(more.join('\n')).toContain('<<<<<<< SEARCH');
  });

  it('never throws, and what it reads are edits', () => {
    const piece = fc.constantFrom(
      '<<<<<<< SEARCH',
      '=======',
      '>>>>>>> REPLACE',
      '<<<<<<< CREATE',
      '>>>>>>> CREATE',
      '<<<<<<< RENAME a',
      '>>>>>>> RENAME',
      'a.py',
      '```',
      '--- a/x',
      '+++ b/x',
      '@@ -1 +1 @@',
      '+y',
      '-x',
      ' ',
      'diff --git a/x b/x',
      'rename from x',
      'GIT binary patch',
      '<think>',
    );
    const garbage = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 300 }),
      fc
        .array(fc.oneof(piece, fc.string({ unit: 'binary', maxLength: 10 })), { maxLength: 25 })
        .map((lines) => lines.join('\n')),
    );
    fc.assert(
      fc.property(garbage, (text) => {
        const parsed = parsePatchText(text);
        if (parsed.ok) for (const edit of parsed.edits) expect(editSchema.safeParse(edit).success).toBe(true);
        else expect(parsed.problem).not.toBe('');
      }),
      { numRuns: 2000 },
    );
  });
});
