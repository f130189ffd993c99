import vm from 'node:vm';

const script = new vm.Script('texts.map((text) => pattern.test(text))');

/**
 * Tests a pattern that somebody else wrote against texts. JavaScript's patterns backtrack and can take for ever:
 * the machine is told to stop them, which works inside a match too.
 * @param options.pattern without the flags `g` and `y`
 * @returns whether each text matches; null where it took longer than `timeoutMs` in all
 */
export function timedMatch(options: {
  pattern: RegExp;
  texts: readonly string[];
  timeoutMs: number;
}): boolean[] | null {
  const { pattern, texts, timeoutMs } = options;
  try {
    return [...script.runInNewContext({ pattern, texts }, { timeout: timeoutMs })];
  } catch (error) {
    if (isTimeout(error)) return null;
    throw error;
  }
}

// The error may come from another realm, where it is no instance of this one's Error.
const isTimeout = (error: unknown): boolean =>
  typeof error === 'object' &&
  error !== null &&
  'code' in error &&
  error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT';
