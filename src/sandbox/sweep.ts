import type { Unavailable } from '../core/index.ts';
import type { Context } from './context.ts';
import { sweepOrphans } from './orphans.ts';
import { sweepSlots } from './slots.ts';
import { sweepStaging } from './staging.ts';

/** What dead runners had left behind and is gone now. */
export type Swept = { cgroups: string[]; processes: number[]; slots: string[]; staging: string[] };

/**
 * Removes what dead runners of this user left behind, never anything of a live one. Nothing where there is no
 * sandbox.
 */
export function sweepMachine(context: Context | Unavailable): Swept {
  if ('cause' in context) return { cgroups: [], processes: [], slots: [], staging: [] };
  const { cgroups, openState, isAlive, machine } = context;
  const state = openState();
  return {
    // Groups and processes first: a uid or a folder is free only when nobody uses it any more.
    cgroups: cgroups.sweep(isAlive),
    processes: sweepOrphans(machine),
    slots: sweepSlots({ folder: state.slots, isAlive }),
    staging: sweepStaging({ folder: state.staging, isAlive }),
  };
}
