import { setTimeout as sleep } from 'node:timers/promises';
import { AssayError, type Clock, type Projection } from '../core/index.ts';
import { machineError } from '../store/index.ts';
import type { DriveEvent, Machine } from './machine.ts';
import type { Position } from './resume.ts';

/**
 * A message to a running loop. `steer` and `stop` are taken between two effects, `approve` lets a waiting one start;
 * `interrupt` ends what an effect is doing where its loop can, and means nothing between two.
 */
export type Message =
  | { kind: 'steer'; text: string }
  | { kind: 'stop'; detail: string }
  | { kind: 'interrupt' }
  | { kind: 'approve' };

export type Inbox = {
  /** Removes and returns what has come since the last call. */
  take(): Message[];
  /** Resolves when `take` would return something; rejects when `signal` aborts. */
  wait(signal: AbortSignal): Promise<void>;
};

/** Performs effects. Expected failures reject with an AssayError; anything else that is thrown counts as a bug. */
export type Effects<S, E, Fx> = {
  perform(options: {
    effect: Fx;
    state: S;
    signal: AbortSignal;
    /** Journals and folds a partial result at once; by default without a sync, where losing it loses no verdict. */
    emit: (event: E, options?: { sync: boolean }) => Promise<void>;
  }): Promise<E[]>;
};

/** Resolves to the event as it stands in the journal (secrets scrubbed): what a resume will fold, so what is folded now. */
export type Journal<E> = { append(event: E, options: { sync: boolean }): Promise<E> };

/** What an effect costs at most, and the end of the run where that is more than what is left. */
export type Budget<S, Fx, End> = {
  project(state: S, effect: Fx): Projection;
  refuse(state: S, projection: Projection): End | null;
};

export type DriveOptions<Spec, S, E, Fx, End> = {
  machine: Machine<Spec, S, E, Fx, End>;
  position: Position<S, Fx>;
  effects: Effects<S, E, Fx>;
  journal: Journal<E | DriveEvent<Fx, End>>;
  budget: Budget<S, Fx, End>;
  inbox: Inbox;
  signal: AbortSignal;
  clock: Clock;
  /** Called after each event is journaled and folded. */
  onEvent?: (event: E | DriveEvent<Fx, End>, state: S) => void;
  /** Effects that wait for an `approve`; waiting is not active time. Default none. */
  needsApproval?: (state: S, effect: Fx) => boolean;
  /** How long an aborted effect may take to clean up before the loop goes on without it. Default 10 s. */
  graceMs?: number;
};

/** `resumable`: the run was stopped in good order and has no `run_ended`. */
export type Driven<S, End> = { state: S; end: End; resumable: boolean };

/**
 * Runs a machine to its end: the only impure part of a loop. Each effect is preceded by a synced `effect_started`,
 * so that a crash leaves at most one effect to be taken up again; none starts that the budget refuses. When
 * `signal` aborts, the effect in flight is cut, `stopped` is journaled and the run can be resumed.
 * @throws what the journal throws (a full disk): the run then stands where its journal ends.
 */
export async function drive<Spec, S, E extends object, Fx, End>(
  options: DriveOptions<Spec, S, E, Fx, End>,
): Promise<Driven<S, End>> {
  const { machine, journal, budget, inbox, signal, position } = options;
  let { state, lastId, pending } = position;
  let approved = false;
  let tail: Promise<void> = Promise.resolve();

  // One after the other, so that the order of folding is the order of the journal.
  const record = (event: E | DriveEvent<Fx, End>, sync: boolean): Promise<void> => {
    tail = tail.then(async () => {
      const journaled = await journal.append(event, { sync });
      state = machine.evolve(state, journaled);
      options.onEvent?.(journaled, state);
    });
    return tail;
  };

  for (;;) {
    for (const message of inbox.take()) {
      if (message.kind === 'steer') await record({ type: 'steered', text: message.text }, true);
      else if (message.kind === 'approve') approved = true;
      else if (message.kind === 'stop')
        await record({ type: 'stopped', detail: message.detail, wallMs: 0 }, true);
    }
    let next = machine.next(state);
    if (next.kind === 'effect' && signal.aborted) {
      await record({ type: 'stopped', detail: 'interrupted', wallMs: 0 }, true);
      next = machine.next(state);
    }
    if (next.kind === 'pause') return { state, end: next.end, resumable: true };
    if (next.kind === 'end') {
      if (!position.ended) await record({ type: 'run_ended', end: next.end }, true);
      return { state, end: next.end, resumable: false };
    }
    const { effect } = next;
    const projection = budget.project(state, effect);
    const refused = budget.refuse(state, projection);
    if (refused !== null) {
      await record({ type: 'run_ended', end: refused }, true);
      return { state, end: refused, resumable: false };
    }
    if (options.needsApproval?.(state, effect) === true && !approved) {
      await inbox.wait(signal).catch(() => undefined);
      continue;
    }
    approved = false;
    const id = pending?.id ?? lastId + 1;
    const attempt = (pending?.attempt ?? 0) + 1;
    [lastId, pending] = [id, null];
    await record({ type: 'effect_started', id, attempt, effect, projection }, true);
    for (const event of await performed({ ...options, effect, state, id, record })) await record(event, true);
  }
}

/** The events an effect leaves behind, whatever happens to it. */
async function performed<Spec, S, E extends object, Fx, End>(
  options: DriveOptions<Spec, S, E, Fx, End> & {
    effect: Fx;
    state: S;
    id: number;
    record: (event: E, sync: boolean) => Promise<void>;
  },
): Promise<(E | DriveEvent<Fx, End>)[]> {
  const { effects, effect, state, signal, clock, record, id } = options;
  const startedMs = clock.monotonicMs();
  let open = true;
  const emit = async (event: E, { sync } = { sync: false }) => {
    if (open) await record(event, sync);
  };
  try {
    const work = effects.perform({ effect, state, signal, emit });
    return await abandonable(work, { signal, graceMs: options.graceMs ?? 10_000 });
  } catch (error) {
    if (signal.aborted)
      return [{ type: 'stopped', detail: 'interrupted', wallMs: clock.monotonicMs() - startedMs }];
    return [{ type: 'effect_failed', id, ...failureOf(error), wallMs: clock.monotonicMs() - startedMs }];
  } finally {
    open = false;
  }
}

/** `work`, or a rejection when it has not settled `graceMs` after an abort. */
async function abandonable<T>(
  work: Promise<T>,
  { signal, graceMs }: { signal: AbortSignal; graceMs: number },
): Promise<T> {
  const settled = new AbortController();
  const abandoned = new Promise<never>((_, reject) => {
    const onAbort = () => {
      sleep(graceMs, undefined, { signal: settled.signal }).then(
        () => reject(new Error('the effect did not stop')),
        () => undefined,
      );
    };
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true, signal: settled.signal });
  });
  try {
    return await Promise.race([work, abandoned]);
  } finally {
    settled.abort();
  }
}

function failureOf(thrown: unknown): {
  code: 'environment' | 'provider' | 'internal';
  detail: string;
  fix: string;
  trace?: string;
} {
  const error = machineError(thrown) ?? thrown;
  if (AssayError.is(error) && error.code !== 'internal') {
    const because = error.because === undefined ? '' : `: ${error.because}`;
    const code = error.code === 'provider' ? 'provider' : 'environment';
    return { code, detail: `${error.message}${because}`, fix: error.fix };
  }
  const fix = 'this is a bug in assay: report it with the run folder';
  if (!(error instanceof Error)) return { code: 'internal', detail: String(error), fix };
  return { code: 'internal', detail: error.message, fix, trace: error.stack ?? '' };
}
