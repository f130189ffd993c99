import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { blockAt, linesOf, numbered, rangesAround, wholeOf, withoutNumbers } from './excerpts.ts';

const python = linesOf(`import os

class Basket:
    """Holds items."""

    def __init__(self):
        self.items = []

    def total(
        self,
        tax,
    ):
        # Sums.
        result = 0
        for item in self.items:
            if item.free:
                continue

            result += item.price
        return result

def other():
    pass
`);

describe('rangesAround', () => {
  it('adds the lines that enclose a place, and no comment or bracket', () => {
    const shown = rangesAround({ wanted: [19], around: 0, lines: python });
    const texts = shown.flatMap(({ from, to }) => python.slice(from - 1, to)).map((line) => line.trim());
    expect(texts).toContain('class Basket:');
    expect(texts).toContain('for item in self.items:');
    expect(texts).not.toContain('import os');
    expect(texts).not.toContain('def other():');
  });

  it('holds every wanted line that there is, in order, apart from each other', () => {
    const lineArb = fc.constantFrom('', 'x', '  y', '\tz', '    deep', '}');
    const wantedArb = fc.array(fc.integer({ min: -3, max: 70 }), { maxLength: 10 });
    fc.assert(
      fc.property(fc.array(lineArb, { maxLength: 60 }), wantedArb, fc.nat(12), (lines, wanted, around) => {
        const ranges = rangesAround({ wanted, around, lines });
        for (const line of wanted.filter((one) => one >= 1 && one <= lines.length)) {
          expect(ranges.some(({ from, to }) => from <= line && line <= to)).toBe(true);
        }
        for (const [index, { from, to }] of ranges.entries()) {
          expect(from).toBeGreaterThanOrEqual(1);
          expect(to).toBeGreaterThanOrEqual(from);
          expect(to).toBeLessThanOrEqual(lines.length);
          expect(from).toBeGreaterThan((ranges[index - 1]?.to ?? -9) + 1);
        }
      }),
    );
  });
});

describe('blockAt', () => {
  it('goes to the end of the function, its signature on several lines too', () => {
    expect(blockAt(python, 9, 80)).toEqual({ from: 9, to: 20 });
    expect(blockAt(python, 22, 80)).toEqual({ from: 22, to: 23 });
  });

  it('takes the bracket that closes it, and no more than it may', () => {
    const script = linesOf("test('a', () => {\n  one();\n\n  two();\n});\nafter();\n");
    expect(blockAt(script, 1, 80)).toEqual({ from: 1, to: 5 });
    expect(blockAt(script, 1, 2)).toEqual({ from: 1, to: 2 });
  });
});

describe('numbered', () => {
  it('gives back a text when its numbers are taken out', () => {
    const lineArb = fc
      .string({ unit: 'grapheme', maxLength: 40 })
      .map((text) => text.replaceAll(/[\r\n]/g, ''));
    fc.assert(
      fc.property(
        fc.array(lineArb, { minLength: 1, maxLength: 30 }),
        fc.array(fc.integer({ min: 1, max: 30 })),
        (lines, marks) => {
          const text = numbered({ lines, ranges: wholeOf(lines), marked: new Set(marks) });
          expect(withoutNumbers(text)).toBe(lines.map((line) => `${line}\n`).join(''));
        },
      ),
    );
  });

  it('shows gaps and cuts endless lines', () => {
    const lines = ['a', 'b', 'c'.repeat(900), 'd'];
    const text = numbered({
      lines,
      ranges: [
        { from: 1, to: 1 },
        { from: 3, to: 3 },
      ],
      marked: new Set([3]),
    });
    expect(text).toBe(`1 | a\n...\n3*| ${'c'.repeat(500)}[... 400 more characters]\n...\n`);
  });
});

describe('withoutNumbers', () => {
  it.each(['x = 1\n', '', '1 | a\nb\n', '| a'])('leaves alone what has none: %j', (text) => {
    expect(withoutNumbers(text)).toBeNull();
  });
});
