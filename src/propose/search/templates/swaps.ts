import { isTarget } from '../syntax/kinds.ts';
import type { SyntaxNode } from '../syntax/node.ts';
import { child, childrenOf, parts } from '../syntax/node.ts';
import { swapNodes } from './edit.ts';
import type { Place, Rewrite, Template } from './template.ts';

const id = 'swaps';

/**
 * Two arguments, indices, elements, keyword values, slice bounds or branches change places. "Swap arguments" of
 * ManySStuBs4J (Karampatsis and Sutton, MSR 2020) and DeepBugs (Pradel and Sen, OOPSLA 2018); the parameter
 * replacer of PAR (Kim et al., ICSE 2013).
 */
export const swaps: Template = {
  id,
  prior: 0.75,
  *rewrites(place) {
    for (const node of place.site.expressions) {
      switch (node.role) {
        case 'call': {
          const list = child(node, 'arguments');
          if (list?.role !== 'arguments') break;
          const given = parts(list);
          yield* pairs(place, given.filter(isPositional), 0.75, 0.4);
          yield* pairs(place, given.flatMap(keywordValue), 0.25, 0.15);
          break;
        }
        case 'subscript':
          yield* pairs(
            place,
            childrenOf(node, 'index').filter((index) => index.role !== 'slice'),
            0.75,
            0.4,
          );
          break;
        case 'tuple':
          yield* pairs(place, parts(node), isTarget(node) ? 0.4 : 0.35, 0.2);
          break;
        case 'list':
          if (parts(node).length <= 3) yield* pairs(place, parts(node), 0.2, 0.1);
          break;
        case 'conditional':
          yield* pairs(
            place,
            [child(node, 'then'), child(node, 'else')].filter((part) => part !== null),
            0.5,
            0.5,
          );
          break;
        default:
          break;
      }
    }
  },
};

const isPositional = (node: SyntaxNode) => node.role !== 'keywordArgument' && node.role !== 'splat';

function keywordValue(node: SyntaxNode): SyntaxNode[] {
  const value = node.role === 'keywordArgument' ? child(node, 'value') : null;
  return value === null ? [] : [value];
}

function* pairs(
  place: Place,
  nodes: readonly SyntaxNode[],
  neighbours: number,
  others: number,
): Generator<Rewrite> {
  if (nodes.length > 6) return;
  for (const [at, a] of nodes.entries()) {
    for (const [step, b] of nodes.slice(at + 1).entries()) {
      yield swapNodes(place, a, b, { template: id, prior: step === 0 ? neighbours : others });
    }
  }
}
