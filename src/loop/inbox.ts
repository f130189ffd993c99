import type { Inbox, Message } from './drive.ts';

/** An inbox in memory, filled by `put`. */
export function createInbox(): Inbox & { put(message: Message): void } {
  let messages: Message[] = [];
  let waiting: (() => void)[] = [];
  return {
    put(message) {
      messages.push(message);
      for (const wake of waiting) wake();
      waiting = [];
    },
    take() {
      const taken = messages;
      messages = [];
      return taken;
    },
    wait(signal) {
      if (messages.length > 0) return Promise.resolve();
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const abort = () => reject(signal.reason);
      if (signal.aborted) abort();
      else signal.addEventListener('abort', abort, { once: true });
      waiting.push(() => {
        signal.removeEventListener('abort', abort);
        resolve();
      });
      return promise;
    },
  };
}
