import type { RepairEvent } from '../core/index.ts';
import type { Run } from '../store/index.ts';

/**
 * Remembers, for as long as this process lives, the patches that a run folder holds without their secrets. Gives back
 * what tells the whole patch of one of these: itself where nothing was taken out of it, or where that cannot be told.
 */
export function rememberPatches(run: Pick<Run<RepairEvent>, 'append'>): (kept: string) => string {
  const whole = new Map<string, string | null>();
  const append = run.append.bind(run);
  run.append = async (event, options) => {
    const record = await append(event, options);
    if (event.type === 'applied' && record.event.type === 'applied') {
      const kept = record.event.diff;
      // Two patches that differ in a secret only: neither is written.
      if (kept !== event.diff)
        whole.set(kept, (whole.get(kept) ?? event.diff) === event.diff ? event.diff : null);
    }
    return record;
  };
  return (kept) => whole.get(kept) ?? kept;
}
