import { AssayError } from '../../core/index.ts';

export type { Sandbox } from '@e2b/code-interpreter';

/** What is used of the SDK. */
export type E2bSdk = Pick<typeof import('@e2b/code-interpreter'), 'Sandbox'>;

/** Where the service is and what opens it. */
export type E2bConnection = { apiKey: string; domain?: string; apiUrl?: string; sandboxUrl?: string };

/** Takes half a second, so only when an E2B kernel is opened. */
export async function loadSdk(): Promise<E2bSdk> {
  try {
    return await import('@e2b/code-interpreter');
  } catch (error) {
    throw new AssayError({
      code: 'environment',
      message: 'The SDK of E2B cannot be loaded',
      because: error instanceof Error ? error.message : String(error),
      fix: 'Run npm ci, or use the runtime jupyter',
      cause: error,
    });
  }
}

/** @throws AssayError `usage` where there is no key */
export function connectionOf(env: Readonly<Record<string, string | undefined>>): E2bConnection {
  const apiKey = env.E2B_API_KEY?.trim() ?? '';
  if (apiKey === '') {
    throw new AssayError({
      code: 'usage',
      message: 'E2B needs a key',
      because: 'E2B_API_KEY is not set',
      fix: 'Set E2B_API_KEY to a key from https://e2b.dev/dashboard, or use the runtime jupyter',
    });
  }
  const { E2B_DOMAIN: domain, E2B_API_URL: apiUrl, E2B_SANDBOX_URL: sandboxUrl } = env;
  return {
    apiKey,
    ...(domain === undefined ? {} : { domain }),
    ...(apiUrl === undefined ? {} : { apiUrl }),
    ...(sandboxUrl === undefined ? {} : { sandboxUrl }),
  };
}
