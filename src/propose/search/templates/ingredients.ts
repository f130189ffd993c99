import { visibleNames, visibleValues } from '../analysis/names.ts';
import { functionAround } from '../analysis/scope.ts';
import { likeness } from '../analysis/shape.ts';
import { isConstant, isExpression, isLabel, isTarget } from '../syntax/kinds.ts';
import type { SyntaxNode } from '../syntax/node.ts';
import { child, descend } from '../syntax/node.ts';
import { atom, phraseOf } from '../syntax/phrase.ts';
import type { Shape } from '../syntax/shape.ts';
import type { SourceFile } from '../syntax/source-file.ts';
import { textOf } from '../syntax/source-file.ts';
import { tokensOf } from '../tokens.ts';
import { homeOf, insideFunction } from './bodies.ts';
import { replaceNode } from './edit.ts';
import { siblingsAt } from './siblings.ts';
import { reads, slotOf } from './slots.ts';
import type { Place, Rewrite, Template } from './template.ts';

const id = 'ingredients';
/** Expressions taken from the function, the shorter first. */
const most = 40;
/** The longest expression taken or replaced, in tokens. */
const longest = 14;

/**
 * An expression becomes another one that the same function holds. The plastic surgery hypothesis (Barr et al., FSE
 * 2014); the expression replacer of PAR (Kim et al., ICSE 2013); fine-grained ingredients as in CapGen (Wen et al.,
 * ICSE 2018).
 */
export const ingredients: Template = {
  id,
  prior: 0.32,
  *rewrites(place) {
    const { index, site } = place;
    const found = taken(place);
    const further = elsewhere(place, new Set(found.map((node) => textOf(site.file, node))));
    for (const node of reads(place)) {
      const slot = slotOf(place, node);
      if (slot === 'callee' || slot === 'statement' || node.role === 'parenthesised') continue;
      const own = textOf(site.file, node);
      const size = tokensOf(own).length;
      if (size > longest) continue;
      const shape = index.shapes.of(node, site.scope);
      if (node.role === 'call') yield* values(place, node, shape);
      if (node.role === 'call' || node.role === 'subscript' || node.role === 'attribute')
        yield* calls(place, node);
      for (const [rank, other] of found.entries()) {
        const text = textOf(site.file, other);
        // A name for a name, a literal for a literal, are other families' work.
        if (text === own) continue;
        if (other.role === 'identifier' && (node.role === 'identifier' || node.role === 'call')) continue;
        if (isConstant(node) && isConstant(other)) continue;
        const same = slotOf(place, other) === slot ? 1 : 0.7;
        const alike = likeness(shape, index.shapes.of(other, site.scope));
        const prior = (0.2 * alike * same) / (1 + 0.02 * rank);
        yield replaceNode(place, node, phraseOf(site.file, other), { template: id, prior });
      }
      if (
        node.role === 'identifier' ||
        isConstant(node) ||
        node.role === 'subscript' ||
        node.role === 'attribute'
      ) {
        for (const other of further) {
          const prior = 0.09 * likeness(shape, index.shapes.of(other, site.scope));
          yield replaceNode(place, node, phraseOf(site.file, other), { template: id, prior });
        }
      }
    }
  },
};

/** A call where what is already known was meant. */
function* values(place: Place, node: SyntaxNode, shape: Shape | null): Generator<Rewrite> {
  const { file } = place.site;
  const known = visibleValues(place.index, place.site, node).filter((value) => value.distance < 3);
  for (const [rank, value] of known.slice(0, 12).entries()) {
    const prior = (0.32 * likeness(shape, value.shape)) / (1 + 0.06 * rank);
    yield replaceNode(place, node, atom(file.language, value.name), { template: id, prior });
  }
}

/** What this file can work out where something else was looked up. */
function* calls(place: Place, node: SyntaxNode): Generator<Rewrite> {
  const { file } = place.site;
  const { write } = file.language;
  const index = node.role === 'subscript' ? child(node, 'index') : null;
  for (const { callee, min, max, byName } of siblingsAt(place, node)) {
    const texts = new Set<string>();
    if (byName !== null && byName.length > 0) texts.add(write.call(callee, byName).text);
    if (index !== null && index.role !== 'slice' && min <= 1 && max >= 1) {
      texts.add(write.call(callee, [textOf(file, index)]).text);
    }
    for (const text of texts)
      yield replaceNode(place, node, atom(file.language, text), { template: id, prior: 0.16 });
  }
}

/** Short expressions of the rest of the file whose names can all be read here. */
function elsewhere(place: Place, held: ReadonlySet<string>): SyntaxNode[] {
  const { file, node: statement } = place.site;
  const home = functionAround(place.site.scope)?.node;
  const known = new Set(visibleNames(place.index, place.site, statement).map((name) => name.name));
  const all = place.index.once('accesses', file.root, () => accesses(file));
  return all
    .filter(({ text, names, node }) => {
      const outside = home === undefined || node.end <= home.start || node.start >= home.end;
      return outside && !held.has(text) && names.every((name) => known.has(name));
    })
    .map(({ node }) => node)
    .slice(0, 12);
}

/** Attributes and elements that the file reads, each text once, with the names in it. */
function accesses(file: SourceFile): { node: SyntaxNode; text: string; names: string[] }[] {
  const found = new Map<string, { node: SyntaxNode; text: string; names: string[] }>();
  for (const node of descend(file.root)) {
    if ((node.role !== 'subscript' && node.role !== 'attribute') || node.field === 'callee' || isTarget(node))
      continue;
    const text = textOf(file, node);
    if (found.has(text) || tokensOf(text).length > 6) continue;
    const names = descend(node).filter((below) => below.role === 'identifier' && !isLabel(below));
    if (names.length > 0) found.set(text, { node, text, names: names.map((name) => textOf(file, name)) });
  }
  return [...found.values()];
}

/** The distinct expressions of the function, the shorter first. */
function taken(place: Place): readonly SyntaxNode[] {
  const { file } = place.site;
  return place.index.once('ingredients', homeOf(place), () => {
    const found = new Map<string, SyntaxNode>();
    for (const node of insideFunction(place)) {
      if (!isExpression(node) || isLabel(node) || isTarget(node) || node.field === 'callee') continue;
      if (node.role === 'parenthesised' || node.role === 'slice') continue;
      const text = textOf(file, node);
      if (!found.has(text) && tokensOf(text).length <= longest && !bindsNames(node)) found.set(text, node);
    }
    return [...found.values()].sort((a, b) => a.end - a.start - (b.end - b.start)).slice(0, most);
  });
}

/** An expression with names of its own may not mean the same elsewhere; it is left where it is. */
function bindsNames(node: SyntaxNode): boolean {
  for (const below of descend(node))
    if (below.role === 'lambda' || below.role === 'namedExpression') return true;
  return false;
}
