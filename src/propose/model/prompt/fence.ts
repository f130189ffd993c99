import { createHash } from 'node:crypto';
import { headOf } from './texts.ts';

/** Wraps texts that others wrote, so that a reader can tell where they end. */
export type Fence = {
  /** The word that opens and closes every block, e.g. `DATA-3fa92c1190ab`. */
  readonly word: string;
  /** `label`: what the block holds; told on the opening line. */
  block(label: string, content: string): string;
};

const maxLabel = 300;

/**
 * A fence that none of `texts` can close: its word is derived from all of them, so that none can hold it by
 * foresight, and taken out of a text that holds it all the same. The same texts give the same fence.
 */
export function fenceFor(texts: Iterable<string>): Fence {
  const hash = createHash('sha256');
  for (const text of texts) hash.update(text).update('\0');
  return fenceOf(`DATA-${hash.digest('hex').slice(0, 12)}`);
}

/** The fence of a word that was used before. */
export function fenceOf(word: string): Fence {
  return {
    word,
    block(label, content) {
      const safe = (text: string) => text.replaceAll(word, 'DATA');
      const body = safe(content);
      return `<<${word} ${safe(headOf(label, maxLabel))}\n${body}${body.endsWith('\n') || body === '' ? '' : '\n'}${word}>>\n`;
    },
  };
}
