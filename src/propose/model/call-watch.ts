import type { CallEnd } from './failures.ts';

/** How long a call may take, in milliseconds. */
export type CallLimits = {
  /** Until anything comes: a server of one's own may read a long prompt for minutes. */
  firstMs: number;
  /** Between two pieces of what comes. */
  silenceMs: number;
  totalMs: number;
};

export const defaultCallLimits: CallLimits = { firstMs: 300_000, silenceMs: 120_000, totalMs: 600_000 };

export type CallWatch = {
  signal: AbortSignal;
  alive: () => void;
  /** Rejects at once when the call is ended, also where the SDK does not. */
  race: <T>(promise: Promise<T>) => Promise<T>;
  end: () => CallEnd | null;
  close: () => void;
};

/** Ends a call on the user's signal, on silence, and at its limit. */
export function watchCall(limits: CallLimits, signal: AbortSignal): CallWatch {
  const controller = new AbortController();
  let end: CallEnd | null = null;
  const stop = (why: CallEnd): void => {
    end ??= why;
    controller.abort();
  };
  const onAbort = (): void => stop({ by: 'user' });
  const total = setTimeout(() => stop({ by: 'total', ms: limits.totalMs }), limits.totalMs);
  const silent = (ms: number) => setTimeout(() => stop({ by: 'silence', ms }), ms);
  let silence = silent(limits.firstMs);
  const ended = new Promise<never>((_, reject) => {
    controller.signal.addEventListener('abort', () => reject(controller.signal.reason), { once: true });
  });
  ended.catch(() => {});
  if (signal.aborted) onAbort();
  else signal.addEventListener('abort', onAbort, { once: true });
  return {
    signal: controller.signal,
    alive: () => {
      clearTimeout(silence);
      if (end === null) silence = silent(limits.silenceMs);
    },
    race: (promise) => Promise.race([promise, ended]),
    end: () => end,
    close: () => {
      clearTimeout(total);
      clearTimeout(silence);
      signal.removeEventListener('abort', onAbort);
    },
  };
}
