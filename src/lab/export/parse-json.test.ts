import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AssayError } from '../../core/index.ts';
import { parseJson } from './parse-json.ts';

function refusal(text: string | Uint8Array, options = {}): AssayError {
  try {
    parseJson(text, options);
  } catch (error) {
    if (AssayError.is(error)) return error;
    throw error;
  }
  throw new Error('it was read');
}

describe('parseJson', () => {
  it('reads what JSON.parse reads', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 8 }), (text) => {
        expect(parseJson(text)).toEqual(JSON.parse(text));
        expect(parseJson(Buffer.from(text))).toEqual(JSON.parse(text));
      }),
    );
  });

  it('does not count brackets in strings', () => {
    const text = JSON.stringify({ a: '[[[['.repeat(1000), '\\"{[': '\\' });
    expect(parseJson(text, { maxDepth: 1 })).toEqual(JSON.parse(text));
  });

  it('returns or refuses with a typed error, whatever the text', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom('[', ']', '{', '}', '"', '\\', ',', ':', '1') }),
        (text) => {
          try {
            parseJson(text);
          } catch (error) {
            expect(AssayError.is(error) && error.code).toBe('input');
          }
        },
      ),
    );
  });

  it.each([
    ['arrays', '['.repeat(100_000) + ']'.repeat(100_000)],
    ['objects', `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`],
    ['arrays that never close', '['.repeat(100_000)],
  ])('refuses %s nested 100,000 deep (case 16)', (_what, text) => {
    expect(refusal(text)).toMatchObject({ code: 'input', because: 'it is nested deeper than 256 levels' });
  });

  it('refuses too many bytes, counted as UTF-8', () => {
    expect(parseJson('"éé"', { maxBytes: 6 })).toBe('éé');
    expect(refusal('"éé"', { maxBytes: 5 }).because).toBe('it has 6 bytes; at most 5 are read');
    expect(refusal(Buffer.alloc(100 * 1024 * 1024, '[')).because).toContain('at most');
  });

  it('refuses bytes that are not UTF-8', () => {
    expect(refusal(Buffer.from([0x22, 0xff, 0x22])).because).toContain('UTF-8');
  });
});
