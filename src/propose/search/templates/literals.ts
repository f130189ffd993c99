import { visibleValues } from '../analysis/names.ts';
import { likeness } from '../analysis/shape.ts';
import { isConstant } from '../syntax/kinds.ts';
import type { SyntaxNode } from '../syntax/node.ts';
import { child, descend, parts } from '../syntax/node.ts';
import { atom } from '../syntax/phrase.ts';
import { textOf } from '../syntax/source-file.ts';
import { homeOf } from './bodies.ts';
import { replaceNode, replaceText } from './edit.ts';
import { reads, slotOf } from './slots.ts';
import type { Place, Rewrite, Template } from './template.ts';

const id = 'literals';
/** Other literals tried in one place. */
const most = 12;

/**
 * Another constant: the opposite truth value or sign, zero, one, infinity, nothing, another literal of the same
 * function or file (a wrong key), an empty container for a filled one. Constant replacement (CRP) of Mothra (King
 * and Offutt, SPE 1991); "change numeral" and "change boolean literal" of ManySStuBs4J (Karampatsis and Sutton, MSR
 * 2020); the literal mutator of TBar (Liu et al., ISSTA 2019); wrong initial values as in SPR (Long and Rinard,
 * ESEC/FSE 2015).
 */
export const literals: Template = {
  id,
  prior: 0.8,
  *rewrites(place) {
    const { write } = place.site.file.language;
    for (const node of reads(place)) {
      switch (node.role) {
        case 'true':
          yield replaceText(place, node, write.literals.false, { template: id, prior: 0.8 });
          yield* named(place, node);
          break;
        case 'false':
          yield replaceText(place, node, write.literals.true, { template: id, prior: 0.8 });
          yield* named(place, node);
          break;
        case 'integer':
        case 'float':
          yield* number(place, node);
          yield* named(place, node);
          break;
        case 'string':
          yield* text(place, node);
          if (node.parent?.role !== 'expressionStatement') yield* named(place, node);
          break;
        case 'none':
          for (const other of [
            write.literals.emptyList,
            '0',
            write.literals.false,
            write.literals.emptyText,
          ]) {
            yield replaceText(place, node, other, { template: id, prior: 0.25 });
          }
          break;
        case 'list':
        case 'dict':
          yield* container(place, node);
          break;
        case 'unary':
          yield* unsigned(place, node);
          break;
        default:
          break;
      }
    }
  },
};

/** A fixed value where a variable was meant, above all a parameter that is never used. */
function* named(place: Place, node: SyntaxNode): Generator<Rewrite> {
  const { index, site } = place;
  const shape = index.shapes.of(node, site.scope);
  const values = visibleValues(index, site, node).filter((value) => value.distance < 3);
  for (const [rank, value] of values.slice(0, most).entries()) {
    const prior = (value.idle ? 0.6 : 0.25) * likeness(shape, value.shape);
    yield replaceText(place, node, value.name, { template: id, prior: prior / (1 + 0.08 * rank) });
  }
}

function* number(place: Place, node: SyntaxNode): Generator<Rewrite> {
  const { file } = place.site;
  const { write, levels } = file.language;
  const own = textOf(file, node);
  const slot = slotOf(place, node);
  const start = slot === 'assigned' || slot === 'returned';
  for (const other of ['0', '1', '2']) {
    if (other !== own) yield replaceText(place, node, other, { template: id, prior: start ? 0.4 : 0.25 });
  }
  if (own !== '0' && node.parent?.role !== 'unary') {
    yield replaceNode(place, node, { text: `-${own}`, level: levels.unary }, { template: id, prior: 0.3 });
  }
  if (start) {
    const { infinity, none } = write.literals;
    yield replaceNode(place, node, infinity, { template: id, prior: 0.3 });
    yield replaceText(place, node, `-${infinity.text}`, { template: id, prior: 0.3 });
    yield replaceText(place, node, none, { template: id, prior: 0.25 });
  }
  if (start && own === '0') {
    yield replaceText(place, node, write.literals.emptyList, { template: id, prior: 0.1 });
    yield replaceText(place, node, write.literals.emptyText, { template: id, prior: 0.1 });
  }
  yield* others(place, node, ['integer', 'float'], 0.3);
}

function* text(place: Place, node: SyntaxNode): Generator<Rewrite> {
  const { file } = place.site;
  if (node.parent?.role === 'expressionStatement') return;
  const key = slotOf(place, node) === 'index' || node.parent?.role === 'pair';
  yield* others(place, node, ['string'], key ? 0.55 : 0.4);
  const own = textOf(file, node);
  const { emptyText } = file.language.write.literals;
  const traits = ['new_literal'] as const;
  if (own.length > 2) yield replaceText(place, node, emptyText, { template: id, prior: 0.12 });
  if (own.length === 2) {
    for (const filled of [' ', ', ', ',', '\\n']) {
      yield replaceText(place, node, `'${filled}'`, { template: id, prior: 0.12, traits });
    }
  }
}

/** Literals of the same kind: first those of this function, then those of the file. */
function* others(
  place: Place,
  node: SyntaxNode,
  roles: readonly SyntaxNode['role'][],
  prior: number,
): Generator<Rewrite> {
  const { file } = place.site;
  const own = textOf(file, node);
  const home = homeOf(place);
  const tried = new Set([own]);
  for (const [from, share] of [
    [home, 1],
    [file.root, 0.4],
  ] as const) {
    for (const other of constantsIn(place, from)) {
      if (!roles.includes(other.role)) continue;
      const text = textOf(file, other);
      if (tried.has(text) || tried.size > most) continue;
      tried.add(text);
      yield replaceText(place, node, text, {
        template: id,
        prior: (prior * share) / (1 + 0.05 * tried.size),
      });
    }
  }
}

/** Numbers and texts below a node, each text once, documentation left out. */
function constantsIn(place: Place, from: SyntaxNode): readonly SyntaxNode[] {
  return place.index.once('constants', from, () => {
    const found = new Map<string, SyntaxNode>();
    for (const node of descend(from, (at) => at.role !== 'string')) {
      if (!['integer', 'float', 'string'].includes(node.role)) continue;
      const text = textOf(place.site.file, node);
      if (node.parent?.role !== 'expressionStatement' && !found.has(text)) found.set(text, node);
    }
    return [...found.values()];
  });
}

/** `[]` to `[[]]`, `[None]`, and a literal with content to an empty one. */
function* container(place: Place, node: SyntaxNode): Generator<Rewrite> {
  const { write } = place.site.file.language;
  const { emptyList, emptyDict, emptySet, none } = write.literals;
  const text = textOf(place.site.file, node);
  const filled = parts(node).length > 0;
  if (node.role === 'list' && !filled) {
    yield replaceText(place, node, write.list([emptyList]), { template: id, prior: 0.4 });
    yield replaceText(place, node, emptyDict, { template: id, prior: 0.2 });
    yield replaceText(place, node, emptySet, { template: id, prior: 0.2 });
    yield replaceText(place, node, none, { template: id, prior: 0.15 });
    for (const inner of ['0', '1']) {
      yield replaceText(place, node, write.list([inner]), { template: id, prior: 0.15 });
    }
  }
  if (node.role === 'dict' && !filled) {
    yield replaceText(place, node, emptySet, { template: id, prior: 0.25 });
    yield replaceText(place, node, emptyList, { template: id, prior: 0.2 });
  }
  if (node.role === 'list' && filled) {
    yield replaceText(place, node, emptyList, { template: id, prior: 0.12, traits: ['unwraps'] });
    if (parts(node).length > 1) return;
    yield replaceNode(place, node, atom(place.site.file.language, write.list([text])), {
      template: id,
      prior: 0.15,
    });
  }
}

/** `-x` to `x`. */
function* unsigned(place: Place, node: SyntaxNode): Generator<Rewrite> {
  const argument = child(node, 'argument');
  if (argument === null) return;
  const text = textOf(place.site.file, argument);
  yield replaceText(place, node, text, { template: id, prior: 0.5 });
  if (isConstant(argument) && text !== '0') {
    yield replaceText(place, node, '0', { template: id, prior: 0.3 });
  }
}
