/** What turns the search's indentation into the file's. */
export type Shift = { kind: 'none' } | { kind: 'add' | 'remove'; prefix: string };

/** The one shift that every line that is not blank agrees on, or null. Both lists have the same length. */
export function shiftBetween(want: readonly string[], have: readonly string[]): Shift | null {
  let shift: Shift | null = null;
  for (const [index, line] of want.entries()) {
    if (line.trim() === '') continue;
    const next = shiftOfLine(indentOf(line), indentOf(have[index] ?? ''));
    if (next === null) return null;
    if (shift !== null && !sameShift(shift, next)) return null;
    shift = next;
  }
  return shift;
}

function shiftOfLine(want: string, have: string): Shift | null {
  if (want === have) return { kind: 'none' };
  if (have.endsWith(want)) return { kind: 'add', prefix: have.slice(0, have.length - want.length) };
  if (want.endsWith(have)) return { kind: 'remove', prefix: want.slice(0, want.length - have.length) };
  return null;
}

function sameShift(a: Shift, b: Shift): boolean {
  if (a.kind === 'none' || b.kind === 'none') return a.kind === b.kind;
  return a.kind === b.kind && a.prefix === b.prefix;
}

function indentOf(text: string): string {
  return text.slice(0, text.length - text.trimStart().length);
}

/** A replacement line that lacks the indentation to be taken away cannot follow the shift. */
export function canShift(replace: string, shift: Shift): boolean {
  if (shift.kind !== 'remove') return true;
  return replace.split('\n').every((line) => line.trim() === '' || line.startsWith(shift.prefix));
}

/** One line of a replacement, moved as the match was. Blank lines stay as they are. */
export function shiftLine(text: string, shift: Shift): string {
  if (shift.kind === 'none' || text.trim() === '') return text;
  return shift.kind === 'add' ? shift.prefix + text : text.slice(shift.prefix.length);
}
