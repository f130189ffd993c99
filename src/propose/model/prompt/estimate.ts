const charactersPerToken = 3.5;

/**
 * Tokens of a text, counted where no tokenizer is at hand: 3.5 characters each, rounded up. Code and stack traces
 * have fewer characters to a token than prose, so that this errs towards too many.
 */
export function estimateTokens(text: string | number): number {
  return Math.ceil((typeof text === 'number' ? text : text.length) / charactersPerToken);
}

/** The most characters that are estimated at no more than `tokens`. */
export function charactersIn(tokens: number): number {
  return Math.max(0, Math.floor(tokens * charactersPerToken));
}
