import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Edit, editSchema } from '../../../core/index.ts';
import { exampleArguments, parsePatchArguments, proposePatchTool } from './propose-patch-tool.ts';

const edit: Edit = { op: 'replace', path: 'a.py', search: 'x\n', replace: 'y "q" \\n\n' };

const problemOf = (input: string): string => {
  const parsed = parsePatchArguments(input);
  if (parsed.ok) throw new Error('it was read');
  return parsed.problem;
};

describe('parsePatchArguments', () => {
  it('reads every kind of edit', () => {
    const edits: Edit[] = [
      { ...edit, occurrence: 2 },
      { op: 'create', path: 'b.py', content: '' },
      { op: 'delete', path: 'c.py' },
      { op: 'rename', path: 'd.py', to: 'e.py' },
    ];
    const parsed = parsePatchArguments(JSON.stringify({ motivation: ' why ', edits }));
    expect(parsed).toEqual({ ok: true, motivation: 'why', edits });
  });

  it('takes its own example, which is what the model is sent the schema of', () => {
    expect(parsePatchArguments(exampleArguments)).toMatchObject({ ok: true });
    expect(proposePatchTool.input.safeParse(JSON.parse(exampleArguments)).success).toBe(true);
  });

  const json = JSON.stringify({ motivation: 'why', edits: [edit] });
  it.each([
    ['a fence', `\`\`\`json\n${json}\n\`\`\``],
    ['a trailing comma', json.replace('}]', '},]')],
    ['raw line breaks in strings', json.replace('x\\n', 'x\n')],
    ['single quotes around keys', json.replaceAll('"op"', "'op'")],
    ['edits as a string', JSON.stringify({ motivation: 'why', edits: JSON.stringify([edit]) })],
    ['one edit for a list', JSON.stringify({ motivation: 'why', edits: edit })],
    [
      'null for absent',
      JSON.stringify({ motivation: 'why', edits: [{ ...edit, occurrence: null, content: null, to: null }] }),
    ],
    ['no op', JSON.stringify({ motivation: 'why', edits: [{ ...edit, op: undefined }] })],
    ['a key that nobody asked for', JSON.stringify({ motivation: 'why', edits: [edit], confidence: 1 })],
  ])('understands %s', (_, input) => {
    expect(parsePatchArguments(input)).toEqual({ ok: true, motivation: 'why', edits: [edit] });
  });

  it('counts an occurrence that is written as a string', () => {
    const input = JSON.stringify({ motivation: 'why', edits: [{ ...edit, occurrence: '3' }] });
    expect(parsePatchArguments(input)).toMatchObject({ ok: true, edits: [{ occurrence: 3 }] });
  });

  it.each([
    ['nothing', '', 'are empty'],
    ['an end that is missing', json.slice(0, -12), 'cut off'],
    ['prose', 'I would change x to y.', 'not valid JSON'],
    ['a number', '3', 'expected object'],
    ['no edits', '{"motivation": "why"}', 'edits: '],
    ['an empty list', '{"motivation": "why", "edits": []}', 'edits: '],
    ['an unknown op', '{"motivation": "why", "edits": [{"op": "patch", "path": "a"}]}', 'edits[0].op'],
    [
      'a missing search',
      '{"motivation": "why", "edits": [{"op": "replace", "path": "a", "replace": "y"}]}',
      'edits[0].search',
    ],
    ['an empty path', '{"motivation": "why", "edits": [{"op": "delete", "path": ""}]}', 'edits[0].path'],
    [
      'no occurrence 0',
      JSON.stringify({ motivation: 'why', edits: [{ ...edit, occurrence: 0 }] }),
      'edits[0].occurrence',
    ],
  ])('says what is wrong, where, and what is right: %s', (_, input, part) => {
    const problem = problemOf(input);
    expect(problem).toContain(part);
    expect(problem).toContain(exampleArguments);
    expect(problem.length).toBeLessThan(1500);
  });

  it('never repairs half an edit into a whole one', () => {
    fc.assert(
      fc.property(fc.nat(json.length - 1), (length) => {
        expect(parsePatchArguments(json.slice(0, length)).ok).toBe(false);
      }),
    );
  });

  it('never throws, and what it reads are edits', () => {
    const garbage = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 300 }),
      fc.json(),
      fc
        .array(fc.constantFrom('{', '}', '[', ']', '"', ':', ',', '\\', 'edits', 'op', '\n', '```'))
        .map((parts) => parts.join('')),
    );
    fc.assert(
      fc.property(garbage, (input) => {
        const parsed = parsePatchArguments(input);
        if (parsed.ok) for (const one of parsed.edits) expect(editSchema.safeParse(one).success).toBe(true);
        else expect(parsed.problem).not.toBe('');
      }),
      { numRuns: 1000 },
    );
  });
});
