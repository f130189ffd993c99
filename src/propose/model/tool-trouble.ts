import type { ModelFailure } from '../../core/index.ts';

/** Whether a server did not take a request because it, or its model, knows no tools: the same is asked in text then. */
export function refusesTools({ kind, message }: ModelFailure): boolean {
  return kind === 'bad_request' && /tool|function/i.test(message);
}
