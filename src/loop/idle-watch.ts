export type IdleWatch = {
  /** Aborts with the outer signal, and when nothing was seen for too long. */
  readonly signal: AbortSignal;
  /** True when it was the silence that aborted. */
  readonly idled: boolean;
  /** Something came: the time begins anew, with the limit given. */
  seen(nextMs: number): void;
  stop(): void;
};

/** Ends a run that has gone silent, long before its wall limit: a suite that hangs in one test. */
export function watchIdle(options: { signal: AbortSignal; firstMs: number }): IdleWatch {
  const silence = new AbortController();
  const expire = () => silence.abort(new Error('nothing was seen for too long'));
  let timer = setTimeout(expire, options.firstMs);
  return {
    signal: AbortSignal.any([options.signal, silence.signal]),
    get idled() {
      return silence.signal.aborted;
    },
    seen(nextMs) {
      clearTimeout(timer);
      if (!silence.signal.aborted) timer = setTimeout(expire, nextMs);
    },
    stop: () => clearTimeout(timer),
  };
}
