import { describe, expect, it } from 'vitest';
import { failureOf } from './failure.ts';
import type { Sandbox } from './sdk.ts';

const apiKey = 'e2b_secret';
const asked = (isRunning: () => Promise<boolean>) => ({
  sandbox: { isRunning } as unknown as Sandbox,
  apiKey,
});
const alive = asked(async () => true);
const gone = asked(async () => false);
const unreachable = asked(async () => Promise.reject(new Error('fetch failed')));

function named(name: string, message: string): Error {
  const error = new Error(message);
  error.name = name;
  return error;
}

describe('failureOf', () => {
  it.each([
    ['AuthenticationError', '401: no', alive, 'refused'],
    ['RateLimitError', '429: slow', alive, 'busy'],
    ['SandboxNotFoundError', 'Sandbox x not found', alive, 'gone'],
    ['TimeoutError', "Execution timed out — the 'timeoutMs' option can be used", alive, 'timeout'],
    ['TimeoutError', 'bad gateway: This error is likely due to sandbox timeout. You can', gone, 'gone'],
    [
      'TimeoutError',
      'bad gateway: This error is likely due to sandbox timeout. You can',
      alive,
      'connection',
    ],
    ['NotFoundError', 'Context x not found', alive, 'context'],
    ['NotFoundError', 'Context x not found', gone, 'gone'],
    ['TypeError', 'terminated', unreachable, 'connection'],
    ['TypeError', 'terminated', gone, 'gone'],
  ])('%s (%s)', async (name, message, options, kind) => {
    expect((await failureOf(named(name, message), options)).kind).toBe(kind);
  });

  it('says what the service said, on one line, without advice to callers of the SDK and without the key', async () => {
    const message = `{"sandboxId":"i","message":"The sandbox\\n was not found","code":502}: This error is likely due to sandbox timeout. You can`;
    expect((await failureOf(named('TimeoutError', message), gone)).detail).toBe('The sandbox was not found');
    expect((await failureOf(named('SandboxError', `500 with ${apiKey}`), alive)).detail).toBe(
      '500 with [E2B_API_KEY]',
    );
    expect((await failureOf('just text', alive)).detail).toBe('just text');
  });
});
