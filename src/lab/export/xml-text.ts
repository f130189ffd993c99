/**
 * What XML 1.0 cannot carry even as a character reference (C0 controls but tab, LF and CR; lone surrogates; U+FFFE and
 * U+FFFF; production 2 of the specification), and what a terminal may obey when the file is shown (DEL and C1).
 */
const unfit = /[^\t\n\r\u{20}-\u{7e}\u{a0}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu;

/** Makes any text fit for XML: unfit characters are written out, e.g. `\x1b`, `\ud800`. */
export function xmlSafe(text: string): string {
  return text.replace(unfit, (character) => {
    const code = character.charCodeAt(0);
    return code <= 0xff
      ? `\\x${code.toString(16).padStart(2, '0')}`
      : `\\u${code.toString(16).padStart(4, '0')}`;
  });
}

/** Text between tags. CR is written as a reference, or a reader would turn it into LF. */
export function xmlText(text: string): string {
  return xmlSafe(text).replace(/[&<>\r]/g, reference);
}

/** An attribute's value, without the quotes. White space is written as references, or a reader would turn it into blanks. */
export function xmlAttribute(text: string): string {
  return xmlSafe(text).replace(/[&<>"'\t\n\r]/g, reference);
}

function reference(character: string): string {
  switch (character) {
    case '&':
      return '&amp;';
    case '<':
      return '&lt;';
    case '>':
      return '&gt;';
    default:
      return `&#${character.charCodeAt(0)};`;
  }
}
