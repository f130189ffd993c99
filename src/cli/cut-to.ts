/** Takes two columns on a terminal: East Asian wide and fullwidth characters and emoji (UAX 11, roughly). */
const wide =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}|[\u{20000}-\u{3fffd}]/u;
/** Takes none. */
const none = /\p{Mark}|\u200b|\u200d|\ufe0f/u;

/** One line of at most so many columns of a terminal, cut with a mark where it is longer. */
export function cutTo(text: string, columns: number): string {
  const line = text.replaceAll(/\s+/g, ' ');
  const widths = [...line].map((character) => ({ character, width: widthOf(character) }));
  if (sum(widths) <= columns) return line;
  let [cut, left] = ['', columns - 1];
  for (const { character, width } of widths) {
    left -= width;
    if (left < 0) break;
    cut += character;
  }
  return `${cut.trimEnd()}…`;
}

/** Columns that one character takes on a terminal. */
export function widthOf(character: string): number {
  if (none.test(character)) return 0;
  return wide.test(character) ? 2 : 1;
}

const sum = (widths: readonly { width: number }[]) => widths.reduce((total, { width }) => total + width, 0);
