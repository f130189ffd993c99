import type { Captured, Outcome, Unavailable } from '../core/index.ts';
import { nothingEnforced } from './enforcement.ts';

const nothingCaptured: Captured = { head: '', tail: '', totalBytes: 0, truncated: false };
const nothingUsed: Outcome['usage'] = { wallMs: 0, cpuMs: null, memoryPeakBytes: null, pidsPeak: null };

const nothingRan = {
  exitCode: null,
  signal: null,
  stdout: nothingCaptured,
  stderr: nothingCaptured,
  usage: nothingUsed,
};

/** The command did not run, and why. */
export function unavailableOutcome(unavailable: Unavailable): Outcome {
  return { reason: 'unavailable', ...nothingRan, enforcement: nothingEnforced, unavailable };
}

/** Aborted before anything was started. */
export function abortedOutcome(): Outcome {
  return { reason: 'aborted', ...nothingRan, enforcement: nothingEnforced, unavailable: null };
}
