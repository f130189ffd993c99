import { AssayError } from '../../core/index.ts';

export type ParseJsonOptions = {
  /** Default 16 MiB. */
  maxBytes?: number;
  /** Deepest nesting of arrays and objects. Default 256: real reports stay below 20. */
  maxDepth?: number;
};

/**
 * Reads JSON that may be hostile. The depth is counted before anything is parsed, because it is not the parser alone
 * that a deep value can break, but whatever walks it later by recursion.
 * @throws AssayError `input` when it is too large, too deep, not UTF-8 or not JSON.
 */
export function parseJson(text: string | Uint8Array, options: ParseJsonOptions = {}): unknown {
  const { maxBytes = 16 * 1024 * 1024, maxDepth = 256 } = options;
  const bytes = typeof text === 'string' ? Buffer.byteLength(text) : text.byteLength;
  if (bytes > maxBytes) throw badJson(`it has ${bytes} bytes; at most ${maxBytes} are read`);
  const decoded = typeof text === 'string' ? text : decode(text);
  if (depthExceeds(decoded, maxDepth)) throw badJson(`it is nested deeper than ${maxDepth} levels`);
  try {
    return JSON.parse(decoded);
  } catch (error) {
    throw badJson(error instanceof Error ? error.message : String(error));
  }
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw badJson('it is not valid UTF-8');
  }
}

/** One pass without recursion or a regular expression, both of which a hostile text can exhaust. */
function depthExceeds(text: string, maxDepth: number): boolean {
  let depth = 0;
  let inString = false;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at];
    if (inString) {
      if (character === '\\') at += 1;
      else if (character === '"') inString = false;
    } else if (character === '"') inString = true;
    else if (character === ']' || character === '}') depth -= 1;
    else if (character === '[' || character === '{') {
      depth += 1;
      if (depth > maxDepth) return true;
    }
  }
  return false;
}

function badJson(because: string): AssayError {
  return new AssayError({
    code: 'input',
    message: 'this JSON cannot be read',
    because,
    fix: 'give a complete JSON document within the limits',
  });
}
