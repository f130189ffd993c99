import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { startDeadline, systemClock } from './deadline.ts';

describe('startDeadline', () => {
  it('passes by the monotonic clock, not by the timer', async () => {
    let now = 0;
    const clock = { monotonicMs: () => now, now: () => new Date(0) };
    let passed = 0;
    startDeadline({ clock, afterMs: 20, onPassed: () => passed++ });
    await sleep(60);
    expect(passed).toBe(0);
    now = 20;
    for (let turn = 0; turn < 100 && passed === 0; turn++) await sleep(5);
    expect(passed).toBe(1);
    await sleep(40);
    expect(passed).toBe(1);
  });

  it('never reads the date', async () => {
    const clock = {
      ...systemClock,
      now: () => {
        throw new Error('the date was read');
      },
    };
    await new Promise<void>((resolve) => startDeadline({ clock, afterMs: 5, onPassed: resolve }));
  });

  it('can be called off', async () => {
    let passed = false;
    const stop = startDeadline({ clock: systemClock, afterMs: 10, onPassed: () => (passed = true) });
    stop();
    await sleep(40);
    expect(passed).toBe(false);
  });
});
