import type { Inbox, Message } from '../drive.ts';
import { createInbox } from '../inbox.ts';

/**
 * An inbox whose messages take effect at once where they can: `stop` and `interrupt` do not wait for the end of the
 * effect that goes on. `end` stops the watch.
 */
export function watchedInbox(
  outer: Inbox,
  act: { onStop: () => void; onInterrupt: () => void },
): { inbox: Inbox; end: () => void } {
  const inner = createInbox();
  const over = new AbortController();
  const sort = () => {
    for (const message of outer.take()) {
      if (message.kind === 'interrupt') act.onInterrupt();
      else inner.put(message);
      if (message.kind === 'stop') act.onStop();
    }
  };
  const watch = async () => {
    while (!over.signal.aborted) {
      await outer.wait(over.signal);
      sort();
    }
  };
  // It rejects when it is over.
  watch().catch(() => undefined);
  return {
    inbox: {
      take(): Message[] {
        sort();
        return inner.take();
      },
      wait: (signal) => inner.wait(signal),
    },
    end: () => over.abort(),
  };
}
