/** matplotlib's warning of a character for which no font in use has a picture: an empty box is drawn instead. */
const missingGlyph =
  /Glyph (\d+) (?:\([^)]*\) )?missing from (?:current font|font\(s\) ([^\n]*?))\.(?=\s|$)/g;

/** Characters that a figure of this cell could not show, found in what the cell wrote to stderr. */
export class GlyphWatch {
  readonly #characters = new Set<string>();
  /** A piece may end within a warning. */
  #rest = '';

  /** Takes the next piece of stderr. */
  read(text: string): void {
    const known = this.#rest + text;
    for (const [, code] of known.matchAll(missingGlyph)) this.add(Number(code));
    this.#rest = known.slice(Math.max(0, known.lastIndexOf('Glyph '), known.length - 300)).slice(-300);
  }

  /** Takes a character by its code point. */
  add(point: number): void {
    if (point <= 0x10ffff) this.#characters.add(String.fromCodePoint(point));
  }

  warnings(): string[] {
    if (this.#characters.size === 0) return [];
    const shown = [...this.#characters].toSorted().slice(0, 40).join('');
    return [
      `A figure has empty boxes instead of the characters ${shown}: no font in use has them. Install a font that does (for Chinese, Japanese and Korean: fonts-noto-cjk), or label the figure in other characters.`,
    ];
  }
}
