import type { CellEnd } from '../../core/index.ts';
import type { Awaited } from './await-end.ts';
import { RemoteFailure } from './remote.ts';
import type { RemoteEnd } from './remote-cell.ts';
import { unavailable } from './service-error.ts';
import type { Session } from './session.ts';

/** Says what became of a cell, and leaves the interpreter as one that the next cell can be run in. */
export async function endOf(session: Session, { stopped, end }: Awaited): Promise<CellEnd> {
  try {
    if (stopped === null) return end === null ? { status: 'aborted' } : await endByItself(session, end);
    const stateLost = await isStateLost(session, end);
    if (stopped.why === 'deadline') return { status: 'timeout', deadlineMs: stopped.deadlineMs, stateLost };
    return { status: 'interrupted', stateLost };
  } catch (error) {
    if (!(error instanceof RemoteFailure)) throw error;
    if (error.failure.kind === 'gone') await session.giveUp(error.failure);
    else session.suspect();
    return unavailable(error.failure);
  }
}

/** After a cell was stopped. */
async function isStateLost(session: Session, end: RemoteEnd | null): Promise<boolean> {
  if (end === null) {
    await session.restart();
    return true;
  }
  if (end.kind === 'ended') return false;
  if (end.kind === 'restarted') {
    await session.reenter();
    return true;
  }
  if (end.kind === 'failed' && end.failure.kind === 'gone') {
    // The next sandbox is brought to the same state.
    await session.giveUp(end.failure);
    return false;
  }
  return !(await session.probeOrRestart());
}

async function endByItself(session: Session, end: RemoteEnd): Promise<CellEnd> {
  switch (end.kind) {
    case 'ended':
      return end.error === null ? { status: 'ok' } : { status: 'error', ...end.error };
    case 'restarted':
      await session.reenter();
      return {
        status: 'died',
        cause: 'unknown',
        detail:
          "the interpreter's process ended while the cell ran, as when memory runs out; E2B started another",
      };
    case 'aborted':
      return { status: 'aborted' };
    case 'cut':
      session.suspect();
      return {
        status: 'unavailable',
        detail: `E2B: ${end.detail}; the cell may have run`,
        fix: 'Look at what is there, then run the cell again where it is needed',
      };
    case 'failed':
      if (end.failure.kind === 'gone') await session.giveUp(end.failure);
      else session.suspect();
      return unavailable(end.failure);
  }
}
