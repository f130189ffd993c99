const escapes: Record<number, string> = {
  7: '\\a',
  8: '\\b',
  9: '\\t',
  10: '\\n',
  11: '\\v',
  12: '\\f',
  13: '\\r',
  34: '\\"',
  92: '\\\\',
};

/** A path in a diff header as git quotes it by default (`core.quotePath`): bytes outside ASCII become octal. */
export function quotePath(path: string): string {
  const bytes = [...Buffer.from(path, 'utf8')];
  if (bytes.every((byte) => byte >= 0x20 && byte < 0x7f && escapes[byte] === undefined)) return path;
  const quoted = bytes.map((byte) => {
    const short = escapes[byte];
    if (short !== undefined) return short;
    if (byte >= 0x20 && byte < 0x7f) return String.fromCharCode(byte);
    return `\\${byte.toString(8).padStart(3, '0')}`;
  });
  return `"${quoted.join('')}"`;
}

/** Reads a path out of a diff header: undoes `quotePath`. Null where the quoting is broken. */
export function unquotePath(quoted: string): string | null {
  if (!quoted.startsWith('"')) return quoted;
  if (quoted.length < 2 || !quoted.endsWith('"')) return null;
  const bytes: number[] = [];
  const pattern = /\\([0-7]{3})|\\([abtnvfr"\\])|([^\\"])/gu;
  let end = 1;
  for (const match of quoted.slice(1, -1).matchAll(pattern)) {
    if (match.index !== end - 1) return null;
    end += match[0].length;
    const [, octal, letter, plain] = match;
    if (octal !== undefined) bytes.push(Number.parseInt(octal, 8) & 0xff);
    else if (letter !== undefined) bytes.push(codeOf(`\\${letter}`));
    else bytes.push(...Buffer.from(plain ?? '', 'utf8'));
  }
  return end === quoted.length - 1 ? Buffer.from(bytes).toString('utf8') : null;
}

function codeOf(short: string): number {
  const entry = Object.entries(escapes).find(([, text]) => text === short);
  return entry === undefined ? 0 : Number(entry[0]);
}
