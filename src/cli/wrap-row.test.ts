import { describe, expect, it } from 'vitest';
import { wrapRow } from './wrap-row.ts';

const wrap = (text: string, columns: number | null = 20) => wrapRow(text, { columns, indent: 9 });

describe('wrapRow', () => {
  it('breaks at spaces, and indents what follows', () => {
    expect(wrap('why      one two three four five')).toBe(
      'why      one two\n         three four\n         five',
    );
  });

  it('leaves a row whole in a pipe, and one that fits', () => {
    const long = `why      ${'word '.repeat(40)}`;
    expect(wrap(long, null)).toBe(long);
    expect(wrap('run      /a/b')).toBe('run      /a/b');
  });

  it('breaks no path, however long', () => {
    const path = `/${'a'.repeat(50)}`;
    expect(wrap(`run      ${path} more`)).toBe(`run      ${path}\n         more`);
  });

  it('counts what a terminal shows: no colours, and wide characters twice', () => {
    expect(wrap('\x1b[2mwhy     \x1b[22m one two')).toBe('\x1b[2mwhy     \x1b[22m one two');
    expect(wrap('why      日本語 日本語')).toBe('why      日本語\n         日本語');
  });

  it('keeps the lines that the text has', () => {
    expect(wrap('next     a\nb')).toBe('next     a\n         b');
  });
});
