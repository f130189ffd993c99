import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { indentedLine, inert, oneLine } from './one-line.ts';

describe('indentedLine', () => {
  it('stays set in, and is one line that no pipeline obeys', () => {
    expect(indentedLine('  1. A title\nnext     rm')).toBe('  1. A title next     rm');
    expect(indentedLine('  ::error::x')).toBe('  \\x3a:error::x');
  });
});

describe('oneLine', () => {
  it('makes one line of several', () => {
    expect(oneLine('a\n::error file=x::y\r\n  run   forged\n')).toBe('a ::error file=x::y run   forged');
  });

  it('never begins with what a pipeline obeys, and holds nothing of it', () => {
    expect(oneLine('\n ::stop-commands::x')).toBe('\\x3a:stop-commands::x');
    expect(oneLine('a ##[add-mask]b ##vso[task.x]')).toBe('a #\\x23[add-mask]b #\\x23vso[task.x]');
  });

  it('is cut', () => {
    expect(oneLine('x'.repeat(200_000), { max: 50 })).toBe(`${'x'.repeat(50)}…`);
  });

  it('holds for any text', () => {
    const piece = fc.constantFrom(
      '::',
      ':',
      '\n',
      '\r\n',
      '\r',
      ' ',
      '\t',
      '##',
      '[',
      'vso',
      'error',
      '\u2028',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
        const line = oneLine(pieces.join(''));
        expect(line).not.toMatch(/[\n\r]|^\s*::|##\w*\[/);
      }),
    );
  });
});

describe('inert', () => {
  it('leaves code alone', () => {
    const code = 'a\n  std::vector x;\n## heading\n+::x\n';
    expect(inert(code)).toBe(code);
  });
});
