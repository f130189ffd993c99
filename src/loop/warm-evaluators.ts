import type { Evaluate } from '../core/index.ts';
import type { Evaluator } from '../lab/index.ts';

export type WarmEvaluators = {
  /** The one that asks for every test. */
  whole(): Promise<Evaluator>;
  evaluate: Evaluate;
  /** Closes all that were opened, whatever became of them. */
  close(): Promise<void>;
};

/**
 * The evaluators of one call of a proposer, each opened when a question first needs it. At most two are open at a
 * time, for each holds fork servers and their memory: the one that asks for every test, and the one that leaves out
 * what the last such question left out.
 * @param options.open opens one that leaves these tests out
 * @param options.ignore ids that every question leaves out
 */
export function warmEvaluators(options: {
  open: (ignore: readonly string[]) => Promise<Evaluator>;
  ignore: readonly string[];
}): WarmEvaluators {
  const { open, ignore } = options;
  let all: Promise<Evaluator> | null = null;
  let part: { key: string; opening: Promise<Evaluator> } | null = null;
  const whole = () => {
    all ??= open(ignore);
    return all;
  };
  const without = async (left: readonly string[]): Promise<Evaluator> => {
    const ids = [...new Set([...ignore, ...left])].sort();
    if (ids.length === new Set(ignore).size) return whole();
    const key = JSON.stringify(ids);
    if (part?.key !== key) {
      const before = part?.opening;
      // Known before the wait, so that two questions at once do not open two.
      part = { key, opening: closed(before).then(() => open(ids)) };
    }
    return part.opening;
  };
  return {
    whole,
    evaluate: async (candidates, request) =>
      (await without(request.ignore ?? [])).evaluate(candidates, request),
    close: async () => {
      await Promise.all([closed(all), closed(part?.opening)]);
    },
  };
}

/** Whoever asked for one that did not open has been told so. */
async function closed(opening: Promise<Evaluator> | null | undefined): Promise<void> {
  const evaluator = await opening?.catch(() => null);
  await evaluator?.close();
}
