import { z } from 'zod';
import { WireError } from './wire.ts';

/** What an error of the SDK, of a stream or of the network tells, whatever its shape. */
export type ProviderError = {
  /** HTTP status, or what a stream gave for one. */
  status: number | null;
  /** `code`, `type`, `status` and the like, in lower case, one space between. */
  codes: string;
  /** What the provider says, in its own words. */
  said: string;
  headers: Record<string, string>;
  /** The whole body or payload, for what is not in the words. */
  body: string;
  /** Names of the errors, the outer first: `AI_APICallError`, `AbortError`. */
  names: string[];
  /** `ECONNREFUSED`, `UND_ERR_SOCKET`: the machine's words for what the network did. */
  network: string | null;
  wire: WireError | null;
};

const errorSchema = z.object({
  name: z.string().optional().catch(undefined),
  message: z.string().optional().catch(undefined),
  code: z.union([z.string(), z.number()]).optional().catch(undefined),
  type: z.string().optional().catch(undefined),
  statusCode: z.number().optional().catch(undefined),
  responseBody: z.string().optional().catch(undefined),
  responseHeaders: z.record(z.string(), z.string()).optional().catch(undefined),
  cause: z.unknown().optional(),
  lastError: z.unknown().optional(),
});

/** Reads an error and its causes. Never throws. */
export function readError(error: unknown): ProviderError {
  const chain = causes(error);
  const read = chain.map((link) => errorSchema.safeParse(link).data).filter((link) => link !== undefined);
  const isSaid = chain.length > 0 && !(chain[0] instanceof Error);
  const body = read.find((link) => link.responseBody)?.responseBody ?? (isSaid ? asText(chain[0]) : '');
  const payload = payloadOf(body);
  const status = read.find((link) => link.statusCode !== undefined)?.statusCode ?? payload.status;
  const network = read.map((link) => link.code).find((code) => isNetworkCode(code));
  return {
    status,
    codes: payload.codes.toLowerCase(),
    said: payload.said ?? read.findLast((link) => link.message)?.message ?? asText(error),
    headers: read.find((link) => link.responseHeaders)?.responseHeaders ?? {},
    body,
    names: read.flatMap((link) => link.name ?? []),
    network: typeof network === 'string' ? network : null,
    wire: chain.find((link) => link instanceof WireError) ?? null,
  };
}

/** The error and what lies under it; a RetryError's last try counts as its cause. Cycles end. */
function causes(error: unknown): unknown[] {
  const chain: unknown[] = [];
  let current = error;
  while (current !== undefined && current !== null && chain.length < 10 && !chain.includes(current)) {
    chain.push(current);
    const link = errorSchema.safeParse(current).data;
    current = link?.lastError ?? link?.cause;
  }
  return chain;
}

function asText(value: unknown): string {
  if (typeof value === 'string') return value;
  if (value instanceof Error) return value.message;
  try {
    return JSON.stringify(value) ?? String(value);
  } catch {
    return String(value);
  }
}

function isNetworkCode(code: unknown): boolean {
  return (
    typeof code === 'string' &&
    /^(?:E[A-Z]{2,}|UND_ERR_|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO|ERR_TLS|ERR_SSL|HPE_)/.test(code)
  );
}

type Payload = { said: string | null; codes: string; status: number | null };

/** OpenAI `{error:{message,type,code}}`, Anthropic `{error:{type,message}}`, Google `{error:{code,message,status}}`, others. */
function payloadOf(body: string): Payload {
  const value = parse(body);
  if (value === undefined) return { said: withoutMarkup(body) || null, codes: '', status: null };
  const codes: string[] = [];
  const said: string[] = [];
  let status: number | null = null;
  const walk = (part: unknown, depth: number): void => {
    if (depth > 6 || codes.length > 50 || typeof part !== 'object' || part === null) return;
    for (const [key, inner] of Object.entries(part)) {
      const text = typeof inner === 'string' || typeof inner === 'number' ? String(inner) : null;
      if (text !== null && /^(?:code|type|status|reason|status_?code|blockReason)$/i.test(key)) {
        codes.push(text);
        if (/^[45]\d\d$/.test(text)) status ??= Number(text);
      }
      if (typeof inner === 'string' && /^(?:message|error|detail|msg|error_description)$/i.test(key))
        said.push(inner);
      walk(inner, depth + 1);
    }
  };
  if (typeof value === 'string') said.push(value);
  walk(value, 0);
  return { said: said[0] ?? null, codes: codes.join(' '), status };
}

function parse(body: string): unknown {
  // Google streams errors as a list.
  const text = body.trim();
  if (!/^[{["]/.test(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The words of an error page, so that its markup does not fill the sentence. */
function withoutMarkup(body: string): string {
  return body
    .slice(0, 20_000)
    .replace(/<(script|style)\b[^>]{0,1000}>[\s\S]{0,10000}?<\/\1>/gi, ' ')
    .replace(/<[^>]{0,1000}>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
}
