import { visibleValues } from '../analysis/names.ts';
import type { Phrase } from '../syntax/language.ts';
import type { SyntaxNode } from '../syntax/node.ts';
import { child, childrenOf, descend, parts } from '../syntax/node.ts';
import { atom, phraseOf } from '../syntax/phrase.ts';
import type { SourceFile } from '../syntax/source-file.ts';
import { textOf } from '../syntax/source-file.ts';
import { homeOf } from './bodies.ts';
import type { Place } from './template.ts';

/** A condition that could be asked here, with how likely it is meant (in (0, 1]). */
export type Condition = {
  phrase: Phrase;
  weight: number;
  /** It protects what the code here looks into, so it must be asked first. */
  first: boolean;
};

/** Names asked about in one place. */
const mostNames = 10;
/** Conditions taken from elsewhere in the function. */
const mostOthers = 24;

/**
 * Conditions for a guard or a further clause at `at`: whether something used there is empty or none, whether
 * another visible value is, and the comparisons the function already makes. The ingredients of condition synthesis
 * in SPR (Long and Rinard, ESEC/FSE 2015), without its solver.
 */
export function conditionsAt(place: Place, at: SyntaxNode): readonly Condition[] {
  return place.index.once('conditions', at, () => conditions(place, at));
}

function conditions(place: Place, at: SyntaxNode): Condition[] {
  const { file } = place.site;
  const { write, language } = { write: file.language.write, language: file.language };
  const found = new Map<string, Condition>();
  const add = (phrase: Phrase, weight: number, first = false) => {
    if (!found.has(phrase.text)) found.set(phrase.text, { phrase, weight, first });
  };
  const used = usedObjects(file, at);
  for (const phrase of used) {
    add(write.isNone(phrase), 1, true);
    add(write.not(phrase), 1, true);
    add(phrase, 0.6, true);
    add(write.isNotNone(phrase), 0.6, true);
  }
  const mentioned = new Set(descend(at).map((node) => textOf(file, node)));
  for (const name of visibleValues(place.index, place.site, at).slice(0, mostNames)) {
    if (name.distance === 3) continue;
    const phrase = atom(language, name.name);
    const weight = mentioned.has(name.name) ? 0.8 : 0.6;
    add(write.not(phrase), weight);
    add(phrase, weight * 0.8);
    if (name.shape === 'number' || name.shape === 'bool' || name.shape === 'text') continue;
    add(write.isNone(phrase), weight * 0.7);
    add(write.isNotNone(phrase), weight * 0.5);
  }
  for (const phrase of used.slice(0, 3)) {
    for (const type of language.checkedTypes) {
      const check = write.call('isinstance', [phrase.text, type]);
      add(write.not(check), 0.4, true);
      add(check, 0.4, true);
    }
  }
  for (const { phrase, here } of attributesOf(place, mentioned).slice(0, 10)) {
    add(phrase, here ? 0.5 : 0.35);
    add(write.not(phrase), here ? 0.5 : 0.35);
  }
  for (const phrase of comparisonsOf(place).slice(0, mostOthers)) {
    add(phrase, 0.45);
    const opposite = negated(file, phrase.node);
    if (opposite !== null) add(opposite, 0.35);
  }
  return [...found.values()];
}

/** What is looked into: the objects before a dot or bracket, the outermost names first. */
function usedObjects(file: SourceFile, at: SyntaxNode): Phrase[] {
  const found = new Map<string, Phrase>();
  for (const node of descend(at)) {
    const object = looksInto(node);
    if (object === null || !['identifier', 'attribute', 'subscript'].includes(object.role)) continue;
    found.set(textOf(file, object), phraseOf(file, object));
  }
  return [...found.values()].sort((a, b) => a.text.length - b.text.length).slice(0, 6);
}

function looksInto(node: SyntaxNode): SyntaxNode | null {
  if (node.role === 'attribute' || node.role === 'subscript') return child(node, 'object');
  return node.role === 'comparison' ? (parts(node)[1] ?? null) : null;
}

/** Attributes that hold no method, of objects the function looks into, those mentioned here first. */
function attributesOf(place: Place, mentioned: ReadonlySet<string>): { phrase: Phrase; here: boolean }[] {
  const { file } = place.site;
  const home = homeOf(place);
  const all = place.index.once('attributes', home, () => {
    const found = new Map<string, { phrase: Phrase; object: string }>();
    for (const node of descend(home)) {
      const object = node.role === 'attribute' && node.field !== 'callee' ? child(node, 'object') : null;
      if (object?.role !== 'identifier') continue;
      found.set(textOf(file, node), { phrase: phraseOf(file, node), object: textOf(file, object) });
    }
    return [...found.values()];
  });
  return all
    .map(({ phrase, object }) => ({ phrase, here: mentioned.has(object) }))
    .sort((a, b) => Number(b.here) - Number(a.here));
}

type Comparison = Phrase & { node: SyntaxNode };

/** The comparisons of this function, each once. */
function comparisonsOf(place: Place): readonly Comparison[] {
  const { file } = place.site;
  const home = homeOf(place);
  return place.index.once('comparisons', home, () => {
    const found = new Map<string, Comparison>();
    for (const node of descend(home)) {
      if (node.role === 'comparison') found.set(textOf(file, node), { ...phraseOf(file, node), node });
    }
    return [...found.values()];
  });
}

/** The opposite of a comparison with one operator, or null. */
export function negated(file: SourceFile, node: SyntaxNode): Phrase | null {
  const [left, right, ...more] = parts(node);
  const [operator] = childrenOf(node, 'operator');
  if (left === undefined || right === undefined || operator === undefined || more.length > 0) return null;
  const opposite = file.language.operators.negated[textOf(file, operator)];
  if (opposite === undefined) return null;
  return file.language.write.compare(opposite, phraseOf(file, left), phraseOf(file, right));
}
