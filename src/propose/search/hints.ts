import type { TestResult } from '../../core/index.ts';
import type { Language } from './syntax/language.ts';

/**
 * Factors by template id, from the exceptions the failing tests died of: repair by crash type, as in Oh and Oh,
 * "PyTER: effective program repair for Python type errors", ESEC/FSE 2022.
 */
export function hintsOf(
  failing: readonly TestResult[],
  languages: readonly Language[],
): ReadonlyMap<string, number> {
  const hints = languages.flatMap((language) => language.hints);
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
