/**
 * Text that does nothing to the terminal it is shown on: control characters (but newline and tab), C1 controls and
 * marks that reorder or hide text appear as escapes such as `\x1b` and `\u202e`. So no cursor movement, no title, no
 * OSC 52 clipboard write, no key strokes played back.
 */
export function printable(text: string): string {
  return text
    .replaceAll('\r\n', '\n')
    .replace(/[\x00-\x08\x0b-\x1f\x7f-\x9f]/g, (character) => escaped(character, 'x', 2))
    .replace(/[\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g, (character) =>
      escaped(character, 'u', 4),
    );
}

function escaped(character: string, letter: 'x' | 'u', digits: number): string {
  return `\\${letter}${character.charCodeAt(0).toString(16).padStart(digits, '0')}`;
}
