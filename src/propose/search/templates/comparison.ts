import { childrenOf, parts } from '../syntax/node.ts';
import { textOf } from '../syntax/source-file.ts';
import { replaceText, swapNodes } from './edit.ts';
import type { Template } from './template.ts';

const id = 'comparison';
const priors = [1, 0.6, 0.5, 0.35, 0.3, 0.25, 0.2];

/**
 * Another comparison operator, or the sides swapped. Relational operator replacement (ROR) of Offutt et al., "An
 * experimental determination of sufficient mutant operators", TOSEM 1996; used for repair by Debroy and Wong, ICST
 * 2010, and jMutRepair (Martinez and Monperrus, Astor, ISSTA 2016).
 */
export const comparison: Template = {
  id,
  prior: 1,
  *rewrites(place) {
    const { file, expressions } = place.site;
    const { comparison: others, mirrored } = file.language.operators;
    for (const node of expressions) {
      if (node.role !== 'comparison') continue;
      for (const operator of childrenOf(node, 'operator')) {
        const replacements = others[textOf(file, operator)] ?? [];
        for (const [rank, text] of replacements.entries()) {
          const related = isMembership(text) === isMembership(textOf(file, operator));
          const prior = related ? (priors[rank] ?? 0.2) : 0.08;
          yield replaceText(place, operator, text, { template: id, prior });
        }
      }
      const [left, right, ...more] = parts(node);
      const [operator] = childrenOf(node, 'operator');
      if (left === undefined || right === undefined || operator === undefined || more.length > 0) continue;
      const text = textOf(file, operator);
      // Swapping the sides of `<` says the same as `>`, but of `in` or `-` it does not.
      if (mirrored[text] === undefined) yield swapNodes(place, left, right, { template: id, prior: 0.15 });
    }
  },
};

/** `in` asks another question than `==`: one seldom stands for the other. */
const isMembership = (operator: string) => /\bin\b/.test(operator);
