import type { z } from 'zod';
import { type RepairEvent, repairEventSchema } from '../core/index.ts';
import type { Run, Store } from '../store/index.ts';
import type { CliContext } from './context.ts';
import { OfRun } from './of-run.ts';
import { storeOf } from './store-of.ts';

/**
 * A run and its events.
 * @throws OfRun where the run is known and its folder is damaged; AssayError `usage` where `id` names no run.
 */
export const openRun = (context: CliContext, id: string): { run: Run<RepairEvent>; events: RepairEvent[] } =>
  openRunOf(context, id, repairEventSchema);

/** The same of a run with other events. */
export function openRunOf<E>(
  context: CliContext,
  id: string,
  event: z.ZodType<E>,
): { run: Run<E>; events: E[] } {
  const store = storeOf(context);
  try {
    const run = store.open<E>(id, { event });
    return { run, events: run.events().map((record) => record.event) };
  } catch (error) {
    const known = idOf(store, id);
    throw known === null ? error : new OfRun({ run: known, cut: false, cause: error });
  }
}

/** The one run that is meant, as the store finds it. */
function idOf(store: Store, asked: string): string | null {
  const ids = store.list().map((run) => run.id);
  if (asked === 'latest') return ids[0] ?? null;
  const matching = ids.includes(asked) ? [asked] : ids.filter((id) => asked !== '' && id.startsWith(asked));
  return matching.length === 1 ? (matching[0] ?? null) : null;
}
