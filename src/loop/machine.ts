import type { Projection, Usage } from '../core/index.ts';

/**
 * What is to be done next: perform one effect, end for good, or pause: stand still in good order until a process
 * takes the run up again (nothing is journaled for a pause but what led to it).
 */
export type Next<Fx, End> =
  | { kind: 'effect'; effect: Fx }
  | { kind: 'end'; end: End }
  | { kind: 'pause'; end: End };

/** The events that `drive` itself writes, whatever the machine. */
export type DriveEvent<Fx, End> =
  | { type: 'effect_started'; id: number; attempt: number; effect: Fx; projection: Projection }
  | {
      type: 'effect_failed';
      id: number;
      code: 'environment' | 'provider' | 'internal';
      detail: string;
      fix: string;
      trace?: string;
      wallMs?: number;
    }
  | { type: 'steered'; text: string }
  | { type: 'stopped'; detail: string; wallMs: number }
  | { type: 'resumed'; lost: Usage | null }
  | { type: 'run_ended'; end: End };

/**
 * A loop as data: a state, the one effect it asks for, and how an event changes it. Pure: no process, no file, no
 * clock, no randomness, so that folding a journal again gives the same state and the same next effect.
 */
export interface Machine<Spec, S, E, Fx, End> {
  start(spec: Spec): S;
  /** Total and repeatable: asking twice changes nothing. */
  next(state: S): Next<Fx, End>;
  /** Returns a new state; never changes the one given. */
  evolve(state: S, event: E | DriveEvent<Fx, End>): S;
  /** True for the event that completes the effect in flight; false for partial results such as candidate batches. */
  settles(event: E): boolean;
}
