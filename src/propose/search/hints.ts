import type { TestResult } from '../../core/index.ts';

/** How much likelier a kind of edit gets when tests fail in this way. Unlisted: 1. */
type Hint = { readonly when: RegExp; readonly raises: Readonly<Record<string, number>> };

const hints: readonly Hint[] = [];

/**
 * Factors by template id, from the exceptions the failing tests died of: repair by crash type, as in Oh and Oh,
 * "PyTER: effective program repair for Python type errors", ESEC/FSE 2022.
 */
export function hintsOf(failing: readonly TestResult[]): ReadonlyMap<string, number> {
  const factors = new Map<string, number>();
  for (const { failure } of failing) {
    const text = `${failure?.type ?? ''}: ${failure?.message ?? ''}`;
    for (const { when, raises } of hints) {
      if (!when.test(text)) continue;
      for (const [id, factor] of Object.entries(raises))
        factors.set(id, Math.max(factor, factors.get(id) ?? 1));
    }
  }
  return factors;
}
