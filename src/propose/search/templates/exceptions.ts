import { visibleNames } from '../analysis/names.ts';
import type { SyntaxNode } from '../syntax/node.ts';
import { child, descend } from '../syntax/node.ts';
import { textOf } from '../syntax/source-file.ts';
import { quote, replaceText } from './edit.ts';
import { familyOf } from './functions.ts';
import type { Place, Rewrite, Template } from './template.ts';

const id = 'exceptions';

/**
 * Another exception raised or caught. "Change exception type" of the bug fix patterns of Pan, Kim and Whitehead, EMSE
 * 2009, and of PAR's class of error handling fixes (Kim et al., ICSE 2013).
 */
export const exceptions: Template = {
  id,
  prior: 0.5,
  *rewrites(place) {
    const { node } = place.site;
    if (node.role !== 'raise' && node.role !== 'except') return;
    const value = child(node, 'value');
    if (value === null) return;
    for (const name of namesIn(value, node.role === 'except')) yield* others(place, name);
  },
};

/** The class of a raised exception, or every class that is caught. */
function namesIn(value: SyntaxNode, all: boolean): SyntaxNode[] {
  const found = [...descend(value, (at) => at.role !== 'arguments' && at.role !== 'pattern')].filter(
    (at) => at.role === 'identifier',
  );
  return all ? found : found.slice(0, 1);
}

function* others(place: Place, node: SyntaxNode): Generator<Rewrite> {
  const { file } = place.site;
  const own = textOf(file, node);
  const known = familyOf(file.language.families.exceptions, own);
  const classes = visibleNames(place.index, place.site, node)
    .filter(
      (name) =>
        name.kind === 'class' || (name.kind === 'import' && /(Error|Exception|Warning)$/.test(name.name)),
    )
    .map((name) => name.name)
    .filter((name) => name !== own);
  for (const [rank, text] of [...new Set([...classes, ...known])].entries()) {
    yield replaceText(place, node, text, {
      template: id,
      prior: 0.5 / (1 + 0.15 * rank),
      what: `${quote(own)} becomes ${quote(text)}`,
    });
  }
}
