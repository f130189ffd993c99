import { isCompoundStatement, isLoop, isSimpleStatement } from '../syntax/kinds.ts';
import type { SyntaxNode } from '../syntax/node.ts';
import { child } from '../syntax/node.ts';
import { indentAt, textOf } from '../syntax/source-file.ts';
import { neighbour, statementsOf } from './bodies.ts';
import { hasOwnLines, lastCodeEnd, quote, wholeLines } from './edit.ts';
import type { Place, Rewrite, Template } from './template.ts';

const id = 'moves';

/**
 * A statement in the wrong place: before or after its neighbour, one level too deep or not deep enough, inside or
 * outside a loop. The swap and move operators of GenProg (Le Goues et al., TSE 2012) and "move statement" of TBar
 * (Liu et al., ISSTA 2019).
 */
export const moves: Template = {
  id,
  prior: 0.35,
  *rewrites(place) {
    const { node, file } = place.site;
    const block = node.parent;
    if (block === null || (block.role !== 'block' && block.role !== 'module')) return;
    if (node.role === 'function' || node.role === 'class' || !hasOwnLines(file, node)) return;
    yield* withNext(place, node);
    if (!isSimpleStatement(node)) return;
    const siblings = statementsOf(block);
    if (block.role === 'block' && siblings.length > 1) {
      if (siblings.at(-1) === node) yield* outAfter(place, node, block);
      if (siblings[0] === node) yield* outBefore(place, node, block);
    }
    const previous = neighbour(node, -1);
    if (previous !== null) yield* into(place, node, previous);
  },
};

function* withNext(place: Place, node: SyntaxNode): Generator<Rewrite> {
  const { file } = place.site;
  const next = neighbour(node, 1);
  if (next === null || next.role === 'function' || next.role === 'class' || !hasOwnLines(file, next)) return;
  const first = wholeLines(file, node);
  const second = wholeLines(file, next);
  const lower = textOf(file, second);
  if (!lower.endsWith('\n')) return;
  const between = file.text.slice(first.end, second.start);
  const text = lower + between + textOf(file, first);
  const compound = isCompoundStatement(node) || isCompoundStatement(next);
  const what = `${quote(textOf(file, node))} and ${quote(textOf(file, next))} change places`;
  const splices = [{ start: first.start, end: second.end, text }];
  yield { splices, template: id, prior: compound ? 0.2 : 0.3, what, traits: [] };
}

/** From the end of a body to after the statement that has the body. */
function* outAfter(place: Place, node: SyntaxNode, block: SyntaxNode): Generator<Rewrite> {
  const { file } = place.site;
  const holder = statementOf(block);
  if (holder === null || holder.role === 'function' || holder.role === 'class' || !hasOwnLines(file, holder))
    return;
  const own = wholeLines(file, node);
  const whole = wholeLines(file, holder);
  const moved = reindent(place, node, holder);
  if (moved === null || own.end > whole.end || !textOf(file, own).endsWith('\n')) return;
  const text = file.text.slice(own.end, whole.end) + moved;
  const splices = [{ start: own.start, end: whole.end, text }];
  const what = `${quote(textOf(file, node))} moves out, to after ${quote(headOf(place, holder))}`;
  yield {
    splices,
    template: id,
    prior: isLoop(holder) || node.role === 'return' ? 0.35 : 0.3,
    what,
    traits: [],
  };
}

/** From the start of a body to before the statement that has the body. */
function* outBefore(place: Place, node: SyntaxNode, block: SyntaxNode): Generator<Rewrite> {
  const { file } = place.site;
  const holder = block.parent;
  if (holder === null || !['for', 'while', 'if', 'with'].includes(holder.role) || !hasOwnLines(file, node))
    return;
  const own = wholeLines(file, node);
  const whole = wholeLines(file, holder);
  const moved = reindent(place, node, holder);
  if (moved === null || !textOf(file, own).endsWith('\n')) return;
  const text = moved + file.text.slice(whole.start, own.start);
  const splices = [{ start: whole.start, end: own.end, text }];
  const what = `${quote(textOf(file, node))} moves out, to before ${quote(headOf(place, holder))}`;
  yield { splices, template: id, prior: isLoop(holder) ? 0.3 : 0.2, what, traits: [] };
}

/** Into the end of the body just above. */
function* into(place: Place, node: SyntaxNode, above: SyntaxNode): Generator<Rewrite> {
  const { file } = place.site;
  const body = lastBody(above);
  const last = body === null ? undefined : statementsOf(body).at(-1);
  if (last === undefined || !hasOwnLines(file, last) || isCompoundStatement(last)) return;
  if (['function', 'class'].includes(above.role)) return;
  const own = wholeLines(file, node);
  const moved = reindent(place, node, last);
  if (moved === null) return;
  const start = wholeLines(file, last).end;
  const splices = [{ start, end: own.end, text: moved + file.text.slice(start, own.start) }];
  const what = `${quote(textOf(file, node))} moves into ${quote(headOf(place, above))}`;
  yield { splices, template: id, prior: 0.3, what, traits: [] };
}

function lastBody(statement: SyntaxNode): SyntaxNode | null {
  const alternative = statement.children.filter((part) => part.field === 'alternative').at(-1);
  return child(alternative ?? statement, 'body');
}

function statementOf(block: SyntaxNode): SyntaxNode | null {
  const holder = block.parent;
  if (holder === null) return null;
  return ['elif', 'else', 'except', 'finally'].includes(holder.role) ? holder.parent : holder;
}

function headOf(place: Place, holder: SyntaxNode): string {
  const body = child(holder, 'body');
  return textOf(place.site.file, { start: holder.start, end: body?.start ?? holder.end });
}

/**
 * The lines of `node` at the indentation of `level`, with a line end; null where a line is not indented at least as
 * far (a text over several lines), so that moving it would change it.
 */
export function reindent({ site }: Place, node: SyntaxNode, level: SyntaxNode): string | null {
  const { file } = site;
  const { start } = wholeLines(file, node);
  const text = file.text.slice(start, lastCodeEnd(node));
  const from = indentAt(file, node.start);
  const to = indentAt(file, level.start);
  const lines = text.split('\n');
  if (!lines.every((line) => line.trim() === '' || line.startsWith(from))) return null;
  const moved = lines.map((line) => (line.trim() === '' ? line : to + line.slice(from.length)));
  return moved.join('\n') + file.eol;
}
