/** One line of a text file. Offsets count UTF-16 units from the start of the body (after a BOM). */
export type Line = { text: string; eol: Eol; start: number };
export type Eol = '' | '\n' | '\r\n';

/** A decoded text file; `bom + body` encoded as UTF-8 gives back the very bytes it was read from. */
export type TextFile = { bom: string; body: string; lines: Line[]; dominantEol: '\n' | '\r\n' };

const BOM = '\uFEFF';

/** Decodes UTF-8 text; null for anything else (a NUL byte, an invalid sequence): such files count as binary. */
export function decodeText(bytes: Uint8Array): TextFile | null {
  if (bytes.includes(0)) return null;
  let whole: string;
  try {
    // ignoreBOM keeps the mark in the string, so that nothing is lost on the way back.
    whole = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
  const bom = whole.startsWith(BOM) ? BOM : '';
  const body = whole.slice(bom.length);
  const lines = splitLines(body);
  return { bom, body, lines, dominantEol: dominantEolOf(lines) };
}

/** As UTF-8. Half a surrogate pair becomes U+FFFD: refuse it before. */
export function encodeText(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

/** Splits after every `\n`; a final piece without one is a line with `eol: ''`. Empty text has no lines. */
export function splitLines(body: string): Line[] {
  const lines: Line[] = [];
  let start = 0;
  while (start < body.length) {
    const newline = body.indexOf('\n', start);
    if (newline === -1) {
      lines.push({ text: body.slice(start), eol: '', start });
      break;
    }
    const crlf = newline > start && body[newline - 1] === '\r';
    lines.push({
      text: body.slice(start, crlf ? newline - 1 : newline),
      eol: crlf ? '\r\n' : '\n',
      start,
    });
    start = newline + 1;
  }
  return lines;
}

/** The line ending most lines have; on a tie the one that comes first; `\n` where there is none. */
function dominantEolOf(lines: readonly Line[]): '\n' | '\r\n' {
  let crlf = 0;
  let lf = 0;
  for (const line of lines) {
    if (line.eol === '\r\n') crlf += 1;
    else if (line.eol === '\n') lf += 1;
  }
  if (crlf === lf) return lines[0]?.eol === '\r\n' ? '\r\n' : '\n';
  return crlf > lf ? '\r\n' : '\n';
}

/** Where `line` ends in the body, its line ending left out. */
export function textEnd(line: Line): number {
  return line.start + line.text.length;
}

/** Where `line` ends in the body, its line ending included. */
export function lineEnd(line: Line): number {
  return line.start + line.text.length + line.eol.length;
}

/**
 * A search or replacement text as the file has to read it: line endings and the mark at the start are the file's
 * business, not the proposer's.
 */
export function normalise(file: TextFile, text: string): string {
  const unmarked = file.bom !== '' && text.startsWith(BOM) ? text.slice(1) : text;
  return unmarked.replaceAll('\r\n', '\n');
}

/** The lines of a normalised text: a `\r` that is left belongs to its line. */
export function plainLines(text: string): { text: string; ends: boolean }[] {
  const pieces = text.split('\n');
  const last = pieces.pop() ?? '';
  const lines = pieces.map((piece) => ({ text: piece, ends: true }));
  return last === '' ? lines : [...lines, { text: last, ends: false }];
}

/** Equal contents; null stands for a file that is not there. */
export function sameBytes(a: Uint8Array | null, b: Uint8Array | null): boolean {
  if (a === null || b === null) return a === b;
  return a.length === b.length && Buffer.compare(a, b) === 0;
}
