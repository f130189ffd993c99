import type { Coverage } from '../../core/index.ts';
import type { ProposerTools } from '../types.ts';

/** Coverage helps a model and is not worth more waiting than this, nor this share of the time that is left. */
const most = { ms: 30_000, share: 0.1 };

/**
 * What the tests ran, or null where that cannot be had: a framework that cannot be traced, a warm evaluator that
 * does not start here, tests that take too long.
 * @throws the reason of `tools.signal` when it aborts
 */
export async function tracedOrNot(
  tools: Pick<ProposerTools, 'coverage' | 'signal' | 'budget'>,
): Promise<Coverage | null> {
  const waitMs = Math.max(1, Math.min(most.ms, tools.budget.wallMs * most.share));
  const enough = Promise.withResolvers<null>();
  const timer = setTimeout(() => enough.resolve(null), waitMs);
  // A failure to trace is no failure to propose.
  const traced = tools.coverage().catch(() => null);
  const coverage = await Promise.race([traced, enough.promise]);
  clearTimeout(timer);
  tools.signal.throwIfAborted();
  return coverage?.tests.some(({ lines }) => Object.keys(lines).length > 0) === true ? coverage : null;
}
