import { visibleValues } from '../analysis/names.ts';
import { functionAround } from '../analysis/scope.ts';
import { isSimpleStatement } from '../syntax/kinds.ts';
import type { SyntaxNode } from '../syntax/node.ts';
import { child } from '../syntax/node.ts';
import { atom } from '../syntax/phrase.ts';
import { indentAt, textOf } from '../syntax/source-file.ts';
import { isGenerator, loopAround, returnedTexts, statementsOf } from './bodies.ts';
import type { Condition } from './conditions.ts';
import { conditionsAt } from './conditions.ts';
import { hasOwnLines, linesBefore, quote, wholeLines } from './edit.ts';
import type { Place, Rewrite, Template } from './template.ts';

const id = 'guards';
/** Conditions tried in one place. */
const most = 14;

/**
 * A missing guard: `if not xs: return []` before a statement, or the statement itself made conditional. The null
 * and range checkers of PAR (Kim et al., ICSE 2013); the missing preconditions of Nopol (Xuan et al., TSE 2017);
 * "missing conditional" of TBar (Liu et al., ISSTA 2019).
 */
export const guards: Template = {
  id,
  prior: 0.3,
  *rewrites(place) {
    const { node, file } = place.site;
    if (node.parent?.role !== 'block' || node.role === 'function' || node.role === 'class') return;
    if (!hasOwnLines(file, node)) return;
    if (functionAround(place.site.scope) !== null || loopAround(node) !== null) yield* leaving(place);
    if (isSimpleStatement(node) && !['return', 'pass', 'break', 'continue'].includes(node.role)) {
      yield* conditional(place);
    }
  },
};

function* leaving(place: Place): Generator<Rewrite> {
  const { node, file } = place.site;
  const { write } = file.language;
  const first = node.parent !== null && statementsOf(node.parent)[0] === node;
  const atStart = first && node.parent?.parent?.role === 'function';
  const ways = exits(place);
  for (const { phrase, weight } of conditionsHere(place, atStart)) {
    for (const [rank, body] of ways.entries()) {
      const lines = write.guard(phrase.text, body, file.indent);
      yield {
        splices: [linesBefore(file, node, lines)],
        template: id,
        prior: ((atStart ? 0.3 : 0.22) * weight) / (1 + 0.12 * rank),
        what: `${quote(lines.map((line) => line.trim()).join(' '))} is put before ${quote(textOf(file, head(node)))}`,
        traits: [],
      };
    }
  }
}

function conditionsHere(place: Place, atStart: boolean): Condition[] {
  const { write } = place.site.file.language;
  const found = conditionsAt(place, place.site.node).filter(({ weight }) => weight >= 0.45);
  if (atStart) {
    for (const { name, kind, shape } of visibleValues(place.index, place.site, place.site.node)) {
      if (kind !== 'parameter') continue;
      const phrase = atom(place.site.file.language, name);
      found.unshift({ phrase: write.not(phrase), weight: 0.9, first: true });
      if (shape === 'number' || shape === null) {
        const zero = atom(place.site.file.language, '0');
        for (const [operator, weight] of [
          ['==', 0.5],
          ['<=', 0.45],
          ['<', 0.45],
        ] as const) {
          found.push({ phrase: write.compare(operator, phrase, zero), weight, first: true });
        }
      }
    }
  }
  const unique = new Map(found.map((condition) => [condition.phrase.text, condition]));
  return [...unique.values()].sort((a, b) => b.weight - a.weight).slice(0, most);
}

/** How the function or loop can be left here, the likelier first. */
function exits(place: Place): string[] {
  const { write } = place.site.file.language;
  const { none, emptyList, false: no, true: yes } = write.literals;
  const found: string[] = [];
  if (loopAround(place.site.node) !== null) found.push(write.jumps.continue, write.jumps.break);
  if (functionAround(place.site.scope) === null) return found;
  if (isGenerator(place)) return [...found, write.returns(null)];
  const returned = returnedTexts(place);
  const short = returned.filter((text) => text !== '' && text.length <= 24);
  found.push(...short.map((text) => write.returns(text)));
  const values = returned.some((text) => text !== '') ? [emptyList, '0', none, no, yes] : [];
  found.push(...values.map((text) => write.returns(text)), write.returns(null));
  for (const { name, kind } of visibleValues(place.index, place.site, place.site.node)) {
    if (kind === 'parameter' && values.length > 0) found.push(write.returns(name));
  }
  return [...new Set(found)].slice(0, 9);
}

/** The statement is done only under a condition. */
function* conditional(place: Place): Generator<Rewrite> {
  const { node, file } = place.site;
  const { write } = file.language;
  const range = wholeLines(file, node);
  const indent = indentAt(file, node.start);
  const body = textOf(file, { start: node.start, end: range.end }).trimEnd();
  if (body.includes('\n')) return;
  for (const { phrase, weight } of conditionsHere(place, false)) {
    const lines = write.guard(phrase.text, body, file.indent);
    const ending = file.text.slice(range.start, range.end).endsWith('\n') ? file.eol : '';
    const text = lines.map((line) => indent + line).join(file.eol) + ending;
    yield {
      splices: [{ ...range, text }],
      template: id,
      prior: 0.16 * weight,
      what: `${quote(body)} is done only ${quote(`if ${phrase.text}`)}`,
      traits: [],
    };
  }
}

/** The part of a statement that names it in a sentence. */
function head(node: SyntaxNode): { start: number; end: number } {
  const body = child(node, 'body');
  return body === null ? node : { start: node.start, end: body.start };
}
