import { functionAround } from './analysis/scope.ts';
import type { Localisation } from './localise.ts';
import type { Suggestion } from './stream.ts';
import { child } from './syntax/node.ts';
import { lineAt, textOf } from './syntax/source-file.ts';

/** What is changed and where: names one candidate among all of a file. */
export function headline({ rewrite, site }: Suggestion): string {
  const { file } = site;
  const line = lineAt(file, rewrite.splices[0]?.start ?? site.node.start);
  const label = site.node.role === 'function' ? child(site.node, 'name') : null;
  const inside = label === null ? functionAround(site.scope)?.name : textOf(file, label);
  return `${rewrite.what} ${inside === undefined ? '' : `in \`${inside}\` `}(${file.path} line ${line})`;
}

/** The whole motivation: what, where, and what speaks for it. */
export function motivate(suggestion: Suggestion, { failing, passing }: Localisation): string {
  return `${headline(suggestion)}: ${ranBy(suggestion, failing)}; all ${failing} failing${others(passing)} pass in the warm evaluator`;
}

/** The same for an edit that mends only some of the failing tests. @param all failing tests, mended or not */
export function motivatePart(
  suggestion: Suggestion,
  { failing, passing }: Localisation,
  all: number,
): string {
  const mended = failing === 1 ? 'it' : 'they';
  const rest = all - failing;
  return `${headline(suggestion)}: mends ${failing} of ${all} failing tests; ${ranBy(suggestion, failing)}; ${mended}${others(passing)} pass in the warm evaluator, the other ${rest === 1 ? 'one is' : `${rest} are`} left for later`;
}

const ranBy = ({ suspicion }: Suggestion, failing: number): string =>
  suspicion.failing > 0
    ? `run by ${suspicion.failing} of ${failing} failing tests, suspiciousness ${suspicion.ochiai.toFixed(2)}`
    : 'run at import or named by a stack trace';

const others = (passing: number): string =>
  passing === 0 ? '' : ` and ${passing} other${passing === 1 ? '' : 's'}`;
