import type { ProviderError } from './provider-error.ts';

/**
 * How long a provider asks to wait, in milliseconds from `now`, or null: `retry-after-ms`, `retry-after` in seconds
 * or as a date (RFC 9110, 10.2.3), Google's `retryDelay`, or OpenAI's words.
 */
export function retryAfterMs({ headers, body }: ProviderError, now: Date): number | null {
  const lower = new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value.trim()]));
  const inMs = seconds(lower.get('retry-after-ms'));
  if (inMs !== null) return inMs;
  const after = lower.get('retry-after');
  const inSeconds = seconds(after);
  if (inSeconds !== null) return inSeconds * 1000;
  // Date.parse takes much that is no date, `-5` for one.
  if (after !== undefined && /^[A-Za-z]{3,9}, /.test(after)) {
    const date = Date.parse(after);
    if (!Number.isNaN(date)) return Math.max(0, date - now.getTime());
  }
  const said =
    /"retryDelay":\s{0,5}"(\d{1,6}(?:\.\d{1,9})?)s"|(?:try again|retry) in (\d{1,6}(?:\.\d{1,9})?)(ms|s)/i.exec(
      body,
    );
  if (said === null) return null;
  const amount = Number(said[1] ?? said[2]);
  return Math.ceil(said[3] === 'ms' ? amount : amount * 1000);
}

function seconds(text: string | undefined): number | null {
  return text !== undefined && /^\d{1,9}(?:\.\d{1,9})?$/.test(text) ? Number(text) : null;
}
