import { z } from 'zod';
import { AssayError } from '../core/index.ts';
import type { CliContext } from './context.ts';
import { storeOf } from './store-of.ts';

/** What a run is of: `fix`, `solve`; null where that cannot be told, which whoever reads the run then says. */
export function kindOfRun(context: CliContext, id: string): string | null {
  try {
    return storeOf(context).open(id, { event: z.unknown() }).info.kind;
  } catch (error) {
    if (AssayError.is(error)) return null;
    throw error;
  }
}
