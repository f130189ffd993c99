import { AssayError, type Outcome } from '../../core/index.ts';
import { printable } from '../../sandbox/index.ts';

type Facts = {
  argv: readonly string[];
  /** What the kernel wrote to its standard error. */
  log: string;
};

/** The process ended before it answered. */
export function startFailure({ argv, log, outcome }: Facts & { outcome: Outcome }): AssayError {
  const { unavailable } = outcome;
  if (unavailable !== null) {
    return new AssayError({
      code: 'environment',
      message: 'The kernel could not be started in a sandbox',
      because: unavailable.cause,
      fix: unavailable.fix,
    });
  }
  return new AssayError({
    code: 'environment',
    message: 'The kernel ended while it started',
    because: `${describeEnd(outcome)}${lastLines(log)}`,
    fix: fixFor(argv, log),
  });
}

/** It lives and says nothing, or nothing that can be understood. */
export function neverAnswered(
  options: Facts & { startMs: number; hasSockets: boolean; unreadable: number },
): AssayError {
  const { argv, log, startMs, hasSockets, unreadable } = options;
  const seconds = Math.round(startMs / 1000);
  const isUnsigned = unreadable > 0 || /invalid signature/i.test(log);
  const because = isUnsigned
    ? 'its messages are signed with another key than the one in its connection file'
    : hasSockets
      ? 'its sockets are there and nobody answers on them'
      : 'it made no sockets: it may know no transport but tcp, which cannot leave the sandbox';
  return new AssayError({
    code: 'environment',
    message: `The kernel did not answer within ${seconds} s`,
    because: `${because}${lastLines(log)}`,
    fix: fixFor(argv, log),
  });
}

export function describeEnd({ reason, exitCode, signal }: Outcome): string {
  switch (reason) {
    case 'oom':
      return 'the memory limit was reached and the machine killed the kernel';
    case 'pids':
      return 'the limit of processes was reached';
    case 'timeout':
      return 'the kernel reached the end of the time a kernel may live';
    case 'output_limit':
      return 'the kernel wrote too much to its log';
    case 'aborted':
      return 'the kernel was ended';
    case 'signaled':
      return `the kernel was ended by ${signal ?? 'a signal'}`;
    case 'unavailable':
      return 'the kernel had no sandbox';
    case 'exited':
      return `the kernel's process ended with exit code ${exitCode ?? 'unknown'}`;
  }
}

function lastLines(log: string): string {
  const lines = printable(log).trim().split('\n').slice(-5).join('\n');
  return lines === '' ? '' : `; the last it wrote was: ${lines}`;
}

function fixFor(argv: readonly string[], log: string): string {
  const missing = /No module named '?([\w.]+)/.exec(log)?.[1];
  if (missing?.startsWith('ipykernel')) return `Install it: ${argv[0]} -m pip install ipykernel`;
  if (missing !== undefined)
    return `Install what is missing: ${argv[0]} -m pip install ${missing.split('.')[0]}`;
  return `Try it outside: ${argv.join(' ')}; install the kernel again if it does not start there either`;
}
