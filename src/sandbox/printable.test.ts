import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { printable } from './printable.ts';

describe('printable', () => {
  it('makes terminal commands readable and dead', () => {
    expect(printable('\x1b[31mred\x1b[0m')).toBe('\\x1b[31mred\\x1b[0m');
    expect(printable('\x1b]52;c;ZXZpbA==\x07')).toBe('\\x1b]52;c;ZXZpbA==\\x07');
    expect(printable('\x9b2J')).toBe('\\x9b2J');
    expect(printable('safe\rEVIL')).toBe('safe\\x0dEVIL');
    expect(printable('abc\u202edcba')).toBe('abc\\u202edcba');
  });

  it('leaves ordinary text alone', () => {
    expect(printable('tab\there\nüß 漢字 🙂\r\nnext')).toBe('tab\there\nüß 漢字 🙂\nnext');
  });

  it('leaves nothing a terminal acts on, in any text', () => {
    const text = fc.string({
      unit: fc.oneof(
        fc.string({ unit: 'binary', maxLength: 1 }),
        fc.constantFrom('\x1b', '\x9b', '\r', '\u202e'),
      ),
    });
    fc.assert(
      fc.property(text, (any) => {
        const shown = printable(any);
        expect(/[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/.test(shown)).toBe(false);
        expect(printable(shown)).toBe(shown);
      }),
    );
  });
});
