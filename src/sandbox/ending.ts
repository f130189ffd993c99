import type { Captured, Enforcement, Outcome, Unavailable } from '../core/index.ts';
import type { CgroupCounters } from './cgroup/index.ts';
import { dyingLimitMs } from './death.ts';
import { diagnose } from './diagnose.ts';
import type { MachineFacts } from './diagnose-bwrap.ts';
import { unavailableOutcome } from './outcome.ts';
import { decideEnding, type KillReason } from './reason.ts';
import type { SetupState } from './reports.ts';
import type { Command } from './types.ts';

/** Everything known about a sandbox that has ended. */
export type EndingFacts = {
  killed: KillReason | null;
  /** What kept the runner from going on, e.g. a control group that could not be entered. */
  failure: Unavailable | null;
  spawnError: Error | null;
  bwrapSignal: NodeJS.Signals | null;
  exitCode: number | null;
  setup: SetupState;
  counters: CgroupCounters;
  wallMs: number;
  /** Some process did not die. */
  undying: boolean;
  stdout: Captured;
  stderr: Captured;
  command: Command;
  facts: MachineFacts;
  enforcement: Enforcement;
};

/** The outcome of a command from what the runner and the kernel's counters know. Pure. */
export function describeEnding(facts: EndingFacts): Outcome {
  const { counters, enforcement } = facts;
  const decided = decideEnding(facts);
  // Killed or out of memory while it was prepared: that is the reason, not what the preparation then complained of.
  const isDecided = facts.killed !== null || decided.reason === 'oom';
  const unavailable = isDecided ? null : (facts.failure ?? diagnose({ ...facts, stderr: facts.stderr.head }));
  if (unavailable !== null) return unavailableOutcome(unavailable);
  return {
    ...decided,
    stdout: facts.stdout,
    stderr: facts.stderr,
    usage: {
      wallMs: facts.wallMs,
      cpuMs: counters.cpuMs,
      memoryPeakBytes: counters.memoryPeakBytes,
      pidsPeak: counters.pidsPeak,
    },
    enforcement: facts.undying ? { ...enforcement, notes: [...enforcement.notes, undyingNote] } : enforcement,
    unavailable: null,
  };
}

const undyingNote = `processes of this sandbox were still there ${dyingLimitMs / 1000} s after SIGKILL: they wait in the kernel`;
