import { argumentsOf } from '../analysis/file-index.ts';
import { classAround } from '../analysis/member.ts';
import { visibleValues } from '../analysis/names.ts';
import { receiverOf } from '../analysis/scope.ts';
import type { SyntaxNode } from '../syntax/node.ts';
import { child } from '../syntax/node.ts';
import { atom, phraseOf } from '../syntax/phrase.ts';
import { textOf } from '../syntax/source-file.ts';
import { replaceNode, replaceText } from './edit.ts';
import { familyOf } from './functions.ts';
import type { Slot } from './slots.ts';
import { reads, slotOf } from './slots.ts';
import type { Place, Rewrite, Template } from './template.ts';

const id = 'members';

/**
 * Another attribute or method of the same object, one called that was only named or the other way round, and a
 * missing or superfluous receiver (`self.`). "Change identifier used" and "wrong function name" of ManySStuBs4J
 * (Karampatsis and Sutton, MSR 2020); the method replacer of PAR (Kim et al., ICSE 2013).
 */
export const members: Template = {
  id,
  prior: 0.8,
  *rewrites(place) {
    for (const node of place.site.expressions) {
      if (node.role === 'attribute') yield* otherMember(place, node);
    }
    for (const node of reads(place)) {
      if (node.role === 'identifier') yield* missingReceiver(place, node);
      yield* missingMember(place, node);
    }
  },
};

function* otherMember(place: Place, node: SyntaxNode): Generator<Rewrite> {
  const { file } = place.site;
  const property = child(node, 'property');
  const object = child(node, 'object');
  if (property === null || object === null) return;
  const text = textOf(file, property);
  const called = slotOf(place, node) === 'callee';
  const tried = new Set([text]);
  if (called) {
    const { methods, functions } = file.language.families;
    for (const [rank, other] of familyOf([...methods, ...functions], text).entries()) {
      tried.add(other);
      yield replaceText(place, property, other, { template: id, prior: 0.7 / (1 + rank * 0.4) });
    }
  }
  const given = called && node.parent !== null ? argumentsOf(node.parent) : null;
  const owner = textOf(file, object) === receiverOf(place.site.scope) ? classAround(place.site.scope) : null;
  const held = owner === null ? undefined : place.index.classes.get(owner);
  for (const [other, use] of place.index.members) {
    if (held !== undefined && !held.has(other)) continue;
    if (tried.has(other) || !(called ? use.called : use.read)) continue;
    const own = place.index.functions.get(other);
    if (given !== null && own !== undefined && (given.length < own.arity.min || given.length > own.arity.max))
      continue;
    const prior = (called ? 0.3 : 0.45) * (0.4 + 0.6 * kinship(text, other));
    yield replaceText(place, property, other, { template: id, prior });
  }
  const written = textOf(file, node);
  if (called && node.parent !== null && given?.length === 0) {
    yield replaceText(place, node.parent, written, { template: id, prior: 0.15, traits: ['unwraps'] });
  }
  if (!called && slotOf(place, node) !== 'target' && place.index.functions.get(text)?.method === true) {
    yield replaceText(place, node, `${written}()`, { template: id, prior: 0.6 });
  }
  const free = visibleValues(place.index, place.site, node).find((name) => name.name === text);
  if (!called && textOf(file, object) === receiverOf(place.site.scope) && free !== undefined) {
    yield replaceText(place, node, text, { template: id, prior: 0.4 });
  }
}

const owners: ReadonlySet<SyntaxNode['role']> = new Set(['identifier', 'call', 'subscript', 'attribute']);
const receivers: ReadonlySet<Slot> = new Set<Slot>([
  'returned',
  'assigned',
  'argument',
  'comparand',
  'operand',
  'element',
]);

/** An object where one of its attributes was meant: `x` to `x.value`. */
function* missingMember(place: Place, node: SyntaxNode): Generator<Rewrite> {
  const { index, site } = place;
  if (!owners.has(node.role) || !receivers.has(slotOf(place, node))) return;
  const shape = index.shapes.of(node, site.scope);
  if (shape !== null) return;
  const read = [...index.members].filter(([, use]) => use.read).sort(([, a], [, b]) => b.count - a.count);
  for (const [rank, [name]] of read.slice(0, 8).entries()) {
    const phrase = site.file.language.write.member(phraseOf(site.file, node), name);
    yield replaceNode(place, node, phrase, { template: id, prior: 0.2 / (1 + 0.1 * rank) });
  }
}

/** A bare name that the object around has as an attribute. */
function* missingReceiver(place: Place, node: SyntaxNode): Generator<Rewrite> {
  const { file, scope } = place.site;
  const receiver = receiverOf(scope);
  const text = textOf(file, node);
  if (receiver === null || text === receiver || !place.index.members.has(text)) return;
  const owner = classAround(scope);
  if (owner === null || place.index.classes.get(owner)?.has(text) !== true) return;
  const bound = visibleValues(place.index, place.site, node).some((name) => name.name === text);
  const phrase = file.language.write.member(atom(file.language, receiver), text);
  yield replaceNode(place, node, phrase, { template: id, prior: bound ? 0.4 : 0.8 });
}

/** How alike two names are, by the words they share: `incoming_nodes` and `outgoing_nodes` share half. */
export function kinship(a: string, b: string): number {
  const words = (name: string) =>
    new Set(name.split(/_|(?<=[a-z])(?=[A-Z])/).map((word) => word.toLowerCase()));
  const [first, second] = [words(a), words(b)];
  const shared = [...first].filter((word) => second.has(word)).length;
  return shared / Math.max(first.size, second.size, 1);
}
