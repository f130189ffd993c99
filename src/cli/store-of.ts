import { openStore, type Store } from '../store/index.ts';
import type { CliContext } from './context.ts';

/** The runs of this user. Nothing is made on the disk before the first run is. */
export function storeOf({ env }: CliContext): Store {
  return openStore({ env });
}
