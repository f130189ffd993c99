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
  const { suspicion } = suggestion;
  const ran =
    suspicion.failing > 0
      ? `run by ${suspicion.failing} of ${failing} failing tests, suspiciousness ${suspicion.ochiai.toFixed(2)}`
      : 'run at import or named by a stack trace';
  const others = passing === 0 ? '' : ` and ${passing} other${passing === 1 ? '' : 's'}`;
  return `${headline(suggestion)}: ${ran}; all ${failing} failing${others} pass in the warm evaluator`;
}
