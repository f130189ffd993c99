import { child } from '../syntax/node.ts';
import { operatorOf, phraseOf } from '../syntax/phrase.ts';
import { textOf } from '../syntax/source-file.ts';
import { replaceNode, replaceText } from './edit.ts';
import { slotOf } from './slots.ts';
import type { Template } from './template.ts';

const id = 'boolean';

/**
 * `and` for `or`, a clause dropped, a `not` put in or taken out, a condition regrouped. Logical connector
 * replacement (LCR) of Offutt et al., TOSEM 1996; the tightened and loosened conditions of SPR (Long and Rinard,
 * ESEC/FSE 2015); negation as in jMutRepair (Martinez and Monperrus, ISSTA 2016).
 */
export const booleans: Template = {
  id,
  prior: 0.8,
  *rewrites(place) {
    const { file, expressions } = place.site;
    const { operators, write } = file.language;
    for (const node of expressions) {
      const left = child(node, 'left');
      const right = child(node, 'right');
      if (node.role === 'boolean' && left !== null && right !== null) {
        const text = operatorOf(file, node);
        const other = operators.boolean[text];
        const operator = child(node, 'operator');
        if (other !== undefined && operator !== null) {
          yield replaceText(place, operator, other, { template: id, prior: 0.8 });
        }
        yield replaceNode(place, node, phraseOf(file, left), {
          template: id,
          prior: 0.35,
          traits: ['unwraps'],
        });
        yield replaceNode(place, node, phraseOf(file, right), {
          template: id,
          prior: 0.35,
          traits: ['unwraps'],
        });
        // (a and b) or c -> a and (b or c)
        const inner = { left: child(left, 'left'), right: child(left, 'right') };
        if (left.role === 'boolean' && inner.left !== null && inner.right !== null) {
          const write2 = text === 'and' ? write.and : write.or;
          const write1 = operatorOf(file, left) === 'and' ? write.and : write.or;
          const regrouped = write1(
            phraseOf(file, inner.left),
            write2(phraseOf(file, inner.right), phraseOf(file, right)),
          );
          yield replaceNode(place, node, regrouped, { template: id, prior: 0.15 });
        }
      }
      const argument = child(node, 'argument');
      if (node.role === 'not' && argument !== null) {
        yield replaceNode(place, node, phraseOf(file, argument), { template: id, prior: 0.6 });
      }
      if (slotOf(place, node) !== 'condition' || node.role === 'not' || node.role === 'parenthesised')
        continue;
      if (node.role === 'comparison' || node.role === 'true' || node.role === 'false') continue;
      yield replaceNode(place, node, write.not(phraseOf(file, node)), {
        template: id,
        prior: 0.5,
        what: `\`${textOf(file, node)}\` is negated`,
      });
    }
  },
};
