import { AssayError, type Clock } from '../../core/index.ts';
import { openedOf } from '../project/opened.ts';
import { keepByteCode, keepRunnerByteCode } from '../snapshot/byte-code.ts';
import type { Expected, LabLimits, Project } from '../types.ts';
import { injectedFolder } from '../workspace/mounts.ts';
import { type Execution, execute } from './execute.ts';
import { prepareOriginal } from './prepared.ts';

export type CollectOptions = {
  project: Project;
  /** Ids from `--expect FILE`: taken as they are. */
  given?: readonly string[];
  tests?: 'visible' | 'all' | 'held_out';
  limits?: LabLimits;
  signal?: AbortSignal;
  clock?: Clock;
};

/**
 * Finds out which tests there must be: those given, else those the framework collects from the original project, else
 * those the text of the test files names, else `unknown`.
 * @throws AssayError `environment` where no sandbox can be had or the framework cannot run; the signal's reason on abort.
 */
export async function collect(options: CollectOptions): Promise<Expected> {
  const { project, given, tests = 'visible' } = options;
  if (given !== undefined) return { source: 'given', ids: [...new Set(given)], skipped: [], xfailed: [] };
  const opened = openedOf(project);
  const prepared = prepareOriginal(project, tests);
  try {
    const start = (mode: 'collect' | 'static') =>
      execute(opened, {
        ...prepared,
        mode,
        limits: options.limits,
        signal: options.signal,
        clock: options.clock,
        onTest: undefined,
      });
    const collected = await start('collect');
    refuse(collected, options.signal);
    const expected = fromCollection(collected);
    if (expected !== null) {
      const { byteCode } = collected.received;
      keepRunnerByteCode({ ...opened, injected: injectedFolder, received: byteCode });
      // Of visible tests only: the byte code of held-out ones would tell what they expect.
      if (tests === 'visible') opened.byteCode = keepByteCode({ ...opened, received: byteCode });
      return expected;
    }
    const read = await start('static');
    refuse(read, options.signal);
    return fromText(read);
  } finally {
    prepared.dispose();
  }
}

/** A collection counts only where it reached its own end: what died on the way may have seen half. */
function fromCollection({ received }: Execution): Expected | null {
  const { collected, problems, completed, irregularities } = received;
  if (!completed || irregularities.length > 0) return null;
  return {
    source: 'collected',
    ids: collected.ids,
    skipped: collected.skipped,
    xfailed: collected.xfailed,
    partial: collected.partial,
    problems,
  };
}

function fromText({ received }: Execution): Expected {
  const partial = received.collected.partial.filter(({ ids }) => ids.length > 0);
  return { source: partial.length > 0 ? 'static' : 'unknown', ids: [], skipped: [], partial };
}

function refuse({ outcome, received }: Execution, signal: AbortSignal | undefined): void {
  signal?.throwIfAborted();
  if (outcome.unavailable !== null) {
    throw new AssayError({
      code: 'environment',
      message: 'No sandbox can be had here',
      because: outcome.unavailable.cause,
      fix: outcome.unavailable.fix,
    });
  }
  if (received.unable !== null) {
    throw new AssayError({
      code: 'environment',
      message: received.unable.detail,
      fix: received.unable.fix,
    });
  }
}
