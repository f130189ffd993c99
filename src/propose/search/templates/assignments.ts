import { argumentsOf } from '../analysis/file-index.ts';
import { visibleValues } from '../analysis/names.ts';
import { likeness } from '../analysis/shape.ts';
import type { SyntaxNode } from '../syntax/node.ts';
import { child } from '../syntax/node.ts';
import { phraseOf } from '../syntax/phrase.ts';
import { textOf } from '../syntax/source-file.ts';
import { insideFunction } from './bodies.ts';
import { replaceText } from './edit.ts';
import type { Place, Rewrite, Template } from './template.ts';

const id = 'assignments';
/** Other targets tried for one assignment. */
const most = 12;

/**
 * A value that ends up in the wrong place or in none: another target, an update in place for an assignment and the
 * other way round, a result that is thrown away, a result of a method that gives none. Assignment operators of
 * Mothra (King and Offutt, SPE 1991) and the expression replacer of PAR (Kim et al., ICSE 2013) on left sides.
 */
export const assignments: Template = {
  id,
  prior: 0.6,
  *rewrites(place) {
    const { node } = place.site;
    const value = node.role === 'expressionStatement' ? child(node, 'value') : null;
    if (value === null) return;
    if (value.role === 'assignment' || value.role === 'augmentedAssignment') {
      yield* otherTarget(place, value);
      yield* emptied(place, node, value);
    }
    if (value.role === 'call') yield* called(place, node, value);
  },
};

/** `a[u, v] = x` to `b[v] = x`: another target of this function. */
function* otherTarget(place: Place, assignment: SyntaxNode): Generator<Rewrite> {
  const { file, scope } = place.site;
  const left = child(assignment, 'left');
  if (left === null) return;
  const own = textOf(file, left);
  const shape = place.index.shapes.of(left, scope);
  const found = new Map<string, number>();
  for (const node of insideFunction(place)) {
    const stored = node.role === 'subscript' || node.role === 'attribute';
    if (!stored || child(node, 'index')?.role === 'slice' || node.field === 'callee') continue;
    found.set(textOf(file, node), left.role === node.role ? 0.45 : 0.2);
  }
  for (const { name, shape: other, kind } of visibleValues(place.index, place.site, left)) {
    if (kind === 'local' || kind === 'parameter') found.set(name, 0.25 * likeness(shape, other));
  }
  found.delete(own);
  const ranked = [...found].sort(([, a], [, b]) => b - a).slice(0, most);
  for (const [rank, [text, prior]] of ranked.entries()) {
    yield replaceText(place, left, text, { template: id, prior: prior / (1 + 0.08 * rank) });
  }
}

/** `x = y` to `x.update(y)`; `x = x.append(y)` to `x.append(y)`: a method that changes its object gives nothing. */
function* emptied(place: Place, node: SyntaxNode, assignment: SyntaxNode): Generator<Rewrite> {
  const { file, scope } = place.site;
  const left = child(assignment, 'left');
  const right = child(assignment, 'right');
  if (assignment.role !== 'assignment' || left === null || right === null) return;
  const callee = right.role === 'call' ? child(right, 'callee') : null;
  const object = callee === null ? null : child(callee, 'object');
  if (object !== null) yield replaceText(place, node, textOf(file, right), { template: id, prior: 0.3 });
  const shape = place.index.shapes.of(left, scope) ?? place.index.shapes.of(right, scope);
  for (const method of file.language.updateMethods) {
    if (shape !== null && !method.shapes.includes(shape)) continue;
    const text = `${textOf(file, left)}.${method.name}(${textOf(file, right)})`;
    yield replaceText(place, node, text, { template: id, prior: shape === null ? 0.15 : 0.3 });
  }
}

/** `x.update(y)` to `x = y`; `x.strip()` to `x = x.strip()`. */
function* called(place: Place, node: SyntaxNode, call: SyntaxNode): Generator<Rewrite> {
  const { file } = place.site;
  const { write } = file.language;
  const callee = child(call, 'callee');
  const given = argumentsOf(call);
  if (callee?.role === 'attribute') {
    const object = child(callee, 'object');
    const property = child(callee, 'property');
    if (object === null || property === null) return;
    const name = textOf(file, property);
    const target = textOf(file, object);
    const [only, ...more] = given ?? [];
    const changes = file.language.updateMethods.some((method) => method.name === name);
    if (only !== undefined && more.length === 0) {
      const prior = changes ? 0.55 : 0.2;
      yield replaceText(place, node, write.assign(target, '=', textOf(file, only)), { template: id, prior });
      if (changes)
        yield replaceText(place, node, write.assign(target, '+=', textOf(file, only)), {
          template: id,
          prior: 0.2,
        });
    }
    if (!changes) {
      yield replaceText(place, node, write.assign(target, '=', textOf(file, call)), {
        template: id,
        prior: 0.35,
      });
    }
    return;
  }
  const [first] = given ?? [];
  if (first === undefined || !['identifier', 'attribute', 'subscript'].includes(first.role)) return;
  const text = write.assign(phraseOf(file, first).text, '=', textOf(file, call));
  yield replaceText(place, node, text, { template: id, prior: 0.4 });
}
