import { classAround } from '../analysis/member.ts';
import type { VisibleName } from '../analysis/names.ts';
import { visibleNames, visibleValues } from '../analysis/names.ts';
import { functionAround } from '../analysis/scope.ts';
import { isLabel, isLoop, isSimpleStatement, isTarget } from '../syntax/kinds.ts';
import type { SyntaxNode } from '../syntax/node.ts';
import { child, descend, parts } from '../syntax/node.ts';
import type { SourceFile } from '../syntax/source-file.ts';
import { textOf } from '../syntax/source-file.ts';
import { homeOf, insideFunction, loopAround, statementsOf } from './bodies.ts';
import { hasOwnLines, linesAfter, linesBefore, quote } from './edit.ts';
import { siblingsAt } from './siblings.ts';
import type { Place, Rewrite, Template } from './template.ts';

const id = 'insertions';

/** A statement that could be missing, with how likely. */
type Ingredient = { text: string; prior: number };

/** Ingredients tried in one place. */
const most = 80;

/**
 * A missing statement, made from what the function holds already: one of its statements again, with a name
 * exchanged; something put into a container (`visited.add(node)`); one name given to another; a counter moved on. The
 * plastic surgery hypothesis (Barr et al., FSE 2014) behind GenProg's insertions (Le Goues et al., TSE 2012); copy
 * and replace as in SPR (Long and Rinard, ESEC/FSE 2015); names nearer in context first, as in CapGen (Wen et al.,
 * ICSE 2018).
 */
export const insertions: Template = {
  id,
  prior: 0.3,
  *rewrites(place) {
    const { node, file } = place.site;
    if (functionAround(place.site.scope) === null || node.parent?.role !== 'block') return;
    if (node.role === 'function' || node.role === 'class' || !hasOwnLines(file, node)) return;
    const found = ingredients(place).slice(0, most);
    const leaves = ['return', 'break', 'continue', 'raise'].includes(node.role);
    const first = statementsOf(node.parent)[0] === node;
    const beside = new Set([textOf(file, node)]);
    const ending = endsWork(place);
    for (const { text, prior: plain } of found) {
      if (beside.has(text)) continue;
      const prior = plain * (ending ? 1.3 : 1);
      if (first || leaves) {
        yield insertion(place, text, prior, linesBefore(file, node, [text]), 'before');
      }
      if (!leaves) yield insertion(place, text, prior, linesAfter(file, node, [text]), 'after');
    }
  },
};

/** A loop, or a return at the end of a function: what was gathered is often forgotten to be handed on there. */
function endsWork({ site }: Place): boolean {
  const last = site.node.parent?.parent?.role === 'function' && site.node.role === 'return';
  return last || isLoop(site.node);
}

function insertion(
  { site }: Place,
  text: string,
  prior: number,
  splice: Rewrite['splices'][number],
  side: 'before' | 'after',
): Rewrite {
  const what = `${quote(text)} is put ${side} ${quote(textOf(site.file, site.node))}`;
  return { splices: [splice], template: id, prior, what, traits: [] };
}

function ingredients(place: Place): Ingredient[] {
  const best = new Map<string, number>();
  const add = (text: string, prior: number) => best.set(text, Math.max(prior, best.get(text) ?? 0));
  const values = visibleValues(place.index, place.site, place.site.node).filter(
    (name) => name.distance < 3 && name.kind !== 'clause',
  );
  for (const { text, prior } of containers(place, values)) add(text, prior);
  for (const { text, prior } of assignments(place, values)) add(text, prior);
  for (const { text, prior } of copies(place, values)) add(text, prior);
  for (const { text, prior } of calls(place, values)) add(text, prior);
  for (const { text, prior } of starts(place)) add(text, prior);
  for (const { text, prior } of relatives(place)) add(text, prior);
  if (loopAround(place.site.node) !== null) {
    const { jumps } = place.site.file.language.write;
    add(jumps.break, 0.12);
    add(jumps.continue, 0.12);
  }
  return [...best].map(([text, prior]) => ({ text, prior })).sort((a, b) => b.prior - a.prior);
}

/** A value is put into a container in reach. */
function* containers(place: Place, values: readonly VisibleName[]): Generator<Ingredient> {
  const { write, putMethods } = place.site.file.language;
  for (const { name, shape } of values) {
    const method = shape === null ? undefined : putMethods[shape];
    if (method === undefined) continue;
    for (const [rank, other] of values.filter((value) => value.name !== name).entries()) {
      const alike = other.shape === null ? 1 : 0.6;
      const prior = (0.3 * alike) / (1 + 0.06 * rank);
      yield { text: write.call(`${name}.${method}`, [other.name]).text, prior };
    }
  }
}

/** One name is given to another, a counter is moved on. */
function* assignments(place: Place, values: readonly VisibleName[]): Generator<Ingredient> {
  const { write } = place.site.file.language;
  const stored = values.filter((value) => ['local', 'parameter', 'member'].includes(value.kind));
  for (const target of stored) {
    if (target.shape === 'number') {
      yield { text: write.assign(target.name, '+=', '1'), prior: 0.25 };
      yield { text: write.assign(target.name, '-=', '1'), prior: 0.18 };
    }
    for (const [rank, value] of values.filter((other) => other.name !== target.name).entries()) {
      const alike = target.shape !== null && value.shape !== null && target.shape !== value.shape ? 0.3 : 1;
      const sure = target.kind === 'local' ? 1 : 0.6;
      yield {
        text: write.assign(target.name, '=', value.name),
        prior: (0.24 * alike * sure) / (1 + 0.06 * rank),
      };
    }
  }
}

/** A statement of this function again, as it is or with one name exchanged. */
function* copies(place: Place, values: readonly VisibleName[]): Generator<Ingredient> {
  const { file } = place.site;
  for (const { statement, text, names } of place.index.once('copies', homeOf(place), () => copied(place))) {
    if (statement === place.site.node) continue;
    yield { text, prior: 0.2 };
    for (const name of names) {
      for (const [rank, value] of values.entries()) {
        if (value.name === textOf(file, name)) continue;
        const at = name.start - statement.start;
        const copy = text.slice(0, at) + value.name + text.slice(name.end - statement.start);
        yield { text: copy, prior: (isTarget(name) ? 0.1 : 0.2) / (1 + 0.1 * rank) };
      }
    }
  }
}

function copied(place: Place): { statement: SyntaxNode; text: string; names: SyntaxNode[] }[] {
  return insideFunction(place).flatMap((statement) => {
    if (!isSimpleStatement(statement)) return [];
    if (['pass', 'import', 'declaration', 'break', 'continue'].includes(statement.role)) return [];
    const text = textOf(place.site.file, statement);
    if (text.includes('\n') || text.length > 80 || statement.children[0]?.role === 'string') return [];
    const names = descend(statement).filter((node) => node.role === 'identifier' && isValue(node));
    return [{ statement, text, names }];
  });
}

/** A function or sibling method of this file, called with what bears the names of its parameters. */
function* calls(place: Place, values: readonly VisibleName[]): Generator<Ingredient> {
  const { write } = place.site.file.language;
  for (const { callee, min, byName } of siblingsAt(place, place.site.node, values)) {
    if (byName !== null) {
      yield { text: write.call(callee, byName).text, prior: byName.length === 0 ? 0.2 : 0.28 };
    } else if (min === 1) {
      for (const value of values.slice(0, 6))
        yield { text: write.call(callee, [value.name]).text, prior: 0.1 };
    }
  }
}

/** A start value for what the function counts or collects. */
function* starts(place: Place): Generator<Ingredient> {
  const { file } = place.site;
  const { write } = file.language;
  const { emptyList, emptyText, emptyDict, none } = write.literals;
  const counted = new Set<string>();
  for (const node of insideFunction(place)) {
    const left = node.role === 'augmentedAssignment' ? child(node, 'left') : null;
    if (left !== null && (left.role === 'identifier' || left.role === 'attribute'))
      counted.add(textOf(file, left));
  }
  for (const name of counted) {
    for (const value of ['0', emptyList, emptyText, '1']) {
      yield { text: write.assign(name, '=', value), prior: value === '0' ? 0.22 : 0.12 };
    }
  }
  for (const name of resettable(place)) {
    for (const value of [emptyList, '0', emptyText, emptyDict, none]) {
      yield { text: write.assign(name, '=', value), prior: 0.1 };
    }
  }
}

/** Locals and attributes that this function assigns a literal or an empty container elsewhere. */
function resettable(place: Place): Set<string> {
  const { file } = place.site;
  const found = new Set<string>();
  for (const node of insideFunction(place)) {
    const left = node.role === 'assignment' ? child(node, 'left') : null;
    const right = node.role === 'assignment' ? child(node, 'right') : null;
    if (left === null || right === null || parts(right).length > 0) continue;
    if (left.role === 'identifier' || left.role === 'attribute') found.add(textOf(file, left));
  }
  return found;
}

/** A statement of a sibling method or another function whose names can all be read here. */
function* relatives(place: Place): Generator<Ingredient> {
  const { file, scope } = place.site;
  const home = homeOf(place);
  const family = classAround(scope)?.node ?? file.root;
  const known = new Set(visibleNames(place.index, place.site, place.site.node).map((name) => name.name));
  const { builtins } = file.language;
  const all = place.index.once('statements', family, () => plainStatements(file, family));
  for (const { node, text, names } of all) {
    if (node.start >= home.start && node.end <= home.end && home !== file.root) continue;
    const readable = names.every((name) => known.has(name) || builtins.has(name));
    if (readable) yield { text, prior: family === file.root ? 0.08 : 0.14 };
  }
}

/** Short statements below a node that store into no name, with the names they read. */
function plainStatements(
  file: SourceFile,
  family: SyntaxNode,
): { node: SyntaxNode; text: string; names: string[] }[] {
  return descend(family).flatMap((node) => {
    if (!isSimpleStatement(node) || ['pass', 'import', 'return'].includes(node.role)) return [];
    const text = textOf(file, node);
    if (text.includes('\n') || text.length > 60) return [];
    const used = descend(node).filter((below) => below.role === 'identifier' && !isLabel(below));
    if (used.length === 0 || used.some((name) => isTarget(name))) return [];
    return [{ node, text, names: used.map((name) => textOf(file, name)) }];
  });
}

const isValue = (node: SyntaxNode) =>
  node.field !== 'property' && node.field !== 'callee' && node.parent?.role !== 'keywordArgument';
