/** Words, numbers, quoted text and signs: close enough to tokens in any language to compare sizes. */
const token = /[\p{L}\p{N}_]+|"[^"\n]*"|'[^'\n]*'|[^\s\p{L}\p{N}_]/gu;

/** The tokens of a text in order; white space is none. */
export function tokensOf(text: string): string[] {
  return text.match(token) ?? [];
}

/**
 * Tokens removed plus tokens added between two texts, by a longest common subsequence: the size of a change that a
 * reader has to check.
 */
export function changedTokens(before: string, after: string): number {
  const a = tokensOf(before);
  const b = tokensOf(after);
  let row = new Array<number>(b.length + 1).fill(0);
  for (const left of a) {
    const next = [0];
    for (const [at, right] of b.entries()) {
      next.push(left === right ? (row[at] ?? 0) + 1 : Math.max(row[at + 1] ?? 0, next[at] ?? 0));
    }
    row = next;
  }
  return a.length + b.length - 2 * (row[b.length] ?? 0);
}
