import type { Clock } from '../../core/index.ts';
import { type Stopped, stopAsked } from '../stop-asked.ts';
import type { RemoteEnd } from './remote-cell.ts';

/** How a cell came to its end; null where it did not, whatever was tried. */
export type Awaited = { stopped: Stopped; end: RemoteEnd | null };

/** Waits for the end of a cell; at its deadline, or when its signal aborts, interrupts it, twice if need be. */
export async function awaitEnd(options: {
  ended: Promise<RemoteEnd>;
  clock: Clock;
  deadlineMs: number;
  graceMs: number;
  signal?: AbortSignal;
  interrupt: () => Promise<unknown>;
}): Promise<Awaited> {
  const { ended, graceMs, interrupt } = options;
  const stopped = await stopAsked(options);
  if (stopped === null) return { stopped, end: await ended };
  for (let attempt = 0; attempt < 2; attempt++) {
    void interrupt();
    const end = await within(ended, graceMs);
    if (end !== null) return { stopped, end };
  }
  return { stopped, end: null };
}

async function within<Value>(promise: Promise<Value>, afterMs: number): Promise<Value | null> {
  let timer: NodeJS.Timeout | undefined;
  const passed = new Promise<null>((resolve) => {
    timer = setTimeout(() => resolve(null), afterMs);
  });
  try {
    return await Promise.race([promise, passed]);
  } finally {
    clearTimeout(timer);
  }
}
