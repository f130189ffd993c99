/** Text on one line: what would break the line, or hide in it, is written as an escape. */
export function oneLine(text: string): string {
  return /[\u0000-\u001F\u007F-\u009F\u2028\u2029]/.test(text)
    ? text.replace(/[\u0000-\u001F\u007F-\u009F\u2028\u2029]/g, (char) => JSON.stringify(char).slice(1, -1))
    : text;
}

/** The beginning of a text, on one line. */
export function headOf(text: string, maxChars: number): string {
  const line = oneLine(text.slice(0, maxChars + 1).trimEnd());
  return line.length <= maxChars && text.trimEnd().length <= maxChars
    ? line
    : `${wellCut(line, maxChars - 1)}…`;
}

/** Head and tail of a long text with the number of characters between them; at most `maxChars`, which is 100 or more. */
export function headAndTail(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  const half = Math.floor((maxChars - 60) / 2);
  const cut = `\n[... ${text.length - 2 * half} characters left out ...]\n`;
  return `${text.slice(0, half)}${cut}${text.slice(text.length - half)}`.toWellFormed();
}

const wellCut = (text: string, maxChars: number): string =>
  text.slice(0, Math.max(0, maxChars)).toWellFormed();

/** `1 test`, `3 tests`. */
export function countOf(count: number, word: string): string {
  return `${count} ${word}${count === 1 ? '' : 's'}`;
}
