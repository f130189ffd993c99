import type { Kernel } from './types.ts';

/** Kernels that are started before anybody asks for one. */
export type KernelPool = {
  /**
   * Gives a kernel that answers, and starts the next in its place a moment later. Waits where none is ready.
   *
   * @throws what `open` rejects with
   */
  take(): Promise<Kernel>;
  /** Closes those that were not taken. */
  close(): Promise<void>;
};

/**
 * Keeps `size` kernels ready. A sandbox's folders are fixed when it starts, so each has a working folder of its own from
 * the beginning, and what it needs is written there with `files.write` once it is taken: give `open` neither a `folder`
 * nor data of one session. To have one session's kernel early, open it while the model still thinks.
 *
 * @param options.open opens one kernel
 */
export function kernelPool(options: { open: () => Promise<Kernel>; size: number }): KernelPool {
  let closed = false;
  const ready: Promise<Kernel | null>[] = [];
  const fill = () => {
    while (!closed && ready.length < options.size) ready.push(openWarm(options.open).catch(() => null));
  };
  fill();
  // Not at once: a start would take the processor from the first cell of the kernel that was taken.
  let filling: NodeJS.Timeout | undefined;
  const fillLater = () => {
    clearTimeout(filling);
    filling = setTimeout(fill, fillDelayMs);
  };
  return {
    async take() {
      for (let next = ready.shift(); next !== undefined; next = ready.shift()) {
        const kernel = await next;
        if (kernel === null) continue;
        if (await answers(kernel)) {
          fillLater();
          return kernel;
        }
        await kernel.close();
      }
      // None came up or lived: whoever waits gets to hear why.
      const kernel = await options.open();
      fillLater();
      return kernel;
    },
    async close() {
      closed = true;
      clearTimeout(filling);
      await Promise.all(ready.splice(0).map(async (kernel) => (await kernel)?.close()));
    },
  };
}

const fillDelayMs = 200;

/** The first cell with code in it takes a kernel several times as long as the next. */
async function openWarm(open: () => Promise<Kernel>): Promise<Kernel> {
  const kernel = await open();
  await kernel.execute('1', { storeHistory: false });
  return kernel;
}

/** A kernel may have died while it waited. */
async function answers(kernel: Kernel): Promise<boolean> {
  const { end } = await kernel.execute('', { storeHistory: false, deadlineMs: 5000 });
  return end.status === 'ok';
}
