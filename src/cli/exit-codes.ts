import type { AnalysisStatus, ErrorCode, RepairStatus, Verdict } from '../core/index.ts';

/** Exit codes of the command line; DESIGN.md, "Command line". */
export const exitCodes = {
  ok: 0,
  error: 1,
  usage: 2,
  stuck: 3,
  budget: 4,
  unpatchable: 5,
  tampered: 6,
  environment: 7,
  failed: 8,
  interrupted: 130,
} as const;
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/**
 * From the worst on: first where least is known of how the project stands, then what is farthest from a patch that
 * holds.
 */
const worstFirst: readonly ExitCode[] = [
  exitCodes.interrupted,
  exitCodes.error,
  exitCodes.usage,
  exitCodes.environment,
  exitCodes.tampered,
  exitCodes.failed,
  exitCodes.unpatchable,
  exitCodes.stuck,
  exitCodes.budget,
  exitCodes.ok,
];

/** The exit code of several runs together. */
export const worstOf = (codes: readonly ExitCode[]): ExitCode =>
  worstFirst.find((code) => codes.includes(code)) ?? exitCodes.ok;

/** Of `fix` and `resume`. */
export function exitCodeOfRepair(status: RepairStatus): ExitCode {
  switch (status) {
    case 'done':
    case 'already_green':
      return exitCodes.ok;
    case 'stuck':
      return exitCodes.stuck;
    case 'budget_exhausted':
      return exitCodes.budget;
    case 'unpatchable':
      return exitCodes.unpatchable;
    case 'tampered':
      return exitCodes.tampered;
    case 'environment_error':
      return exitCodes.environment;
    case 'aborted':
      return exitCodes.interrupted;
    case 'error':
      return exitCodes.error;
  }
}

/** Of `solve`, and of `resume` for one. */
export function exitCodeOfAnalysis(status: AnalysisStatus): ExitCode {
  switch (status) {
    case 'complete':
      return exitCodes.ok;
    case 'stuck':
      return exitCodes.stuck;
    case 'retry_limit':
    case 'turn_limit':
    case 'budget_exhausted':
      return exitCodes.budget;
    case 'checks_failed':
      return exitCodes.failed;
    case 'kernel_lost':
    case 'environment_error':
      return exitCodes.environment;
    case 'aborted':
      return exitCodes.interrupted;
    case 'error':
      return exitCodes.error;
  }
}

/** Of `lab`. */
export function exitCodeOfVerdict(verdict: Verdict): ExitCode {
  switch (verdict) {
    case 'passed':
      return exitCodes.ok;
    case 'failed':
    case 'timeout':
    case 'oom':
    case 'pids':
    case 'output_limit':
      return exitCodes.failed;
    case 'tampered':
      return exitCodes.tampered;
    case 'no_tests':
    case 'error':
    case 'unavailable':
      return exitCodes.environment;
    case 'aborted':
      return exitCodes.interrupted;
  }
}

/** Of a command that could not give its result. */
export function exitCodeOfError(code: ErrorCode): ExitCode {
  switch (code) {
    case 'usage':
      return exitCodes.usage;
    case 'environment':
    case 'provider':
      return exitCodes.environment;
    case 'input':
    case 'locked':
    case 'changed':
    case 'internal':
      return exitCodes.error;
  }
}
