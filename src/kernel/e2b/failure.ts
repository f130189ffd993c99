import type { Sandbox } from './sdk.ts';

/**
 * Why a call of the service failed. `gone`: the sandbox exists no more, or not in this life. `context`: it lives and
 * knows nothing of the interpreter. `timeout`: the SDK gave up waiting for a cell. `refused`: the key. `busy`: a limit
 * of the account. `connection`: whatever else; the sandbox may live.
 */
export type Failure = {
  kind: 'gone' | 'context' | 'timeout' | 'refused' | 'busy' | 'connection';
  detail: string;
};

/** How long the sandbox is asked whether it lives. */
const healthMs = 5000;

/** @param options.sandbox asked whether it lives, where the error leaves that open; null where there is none yet */
export async function failureOf(
  error: unknown,
  options: { sandbox: Sandbox | null; apiKey: string },
): Promise<Failure> {
  const { sandbox, apiKey } = options;
  const name = error instanceof Error ? error.name : '';
  const detail = describe(error).replaceAll(apiKey, '[E2B_API_KEY]');
  if (name === 'AuthenticationError') return { kind: 'refused', detail };
  if (name === 'RateLimitError' || name === 'ServiceBusyError') return { kind: 'busy', detail };
  if (name === 'SandboxNotFoundError') return { kind: 'gone', detail };
  if (name === 'TimeoutError' && detail.startsWith('Execution timed out')) return { kind: 'timeout', detail };
  if (sandbox !== null && (await isGone(sandbox))) return { kind: 'gone', detail };
  return { kind: name === 'NotFoundError' ? 'context' : 'connection', detail };
}

/** Only where the service says so: a network that is down is no proof. */
async function isGone(sandbox: Sandbox): Promise<boolean> {
  try {
    return !(await sandbox.isRunning({ requestTimeoutMs: healthMs }));
  } catch (error) {
    return error instanceof Error && error.name === 'NotFoundError';
  }
}

/** One line, without what the SDK advises its callers. */
function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause instanceof Error ? ` (${error.cause.message})` : '';
  const said = error.message.replace(/:? This (?:error is likely due to|can happen when) .*/s, '');
  return `${messageIn(said)}${cause}`.replace(/\s+/g, ' ').slice(0, 500);
}

/** The service wraps some of what it says. */
function messageIn(said: string): string {
  try {
    const parsed: unknown = JSON.parse(said);
    const message =
      typeof parsed === 'object' && parsed !== null && 'message' in parsed ? parsed.message : null;
    return typeof message === 'string' ? message : said;
  } catch {
    return said;
  }
}

export function fixOf({ kind }: Failure): string {
  switch (kind) {
    case 'refused':
      return 'Check E2B_API_KEY';
    case 'busy':
      return 'Wait, or raise the limits of the E2B account';
    case 'gone':
      return 'Run the cell again: a new sandbox is made and the earlier cells are run again';
    case 'context':
    case 'timeout':
      return 'Run the cell again: the interpreter is started anew';
    case 'connection':
      return 'Check the network and https://status.e2b.dev, then run the cell again';
  }
}
