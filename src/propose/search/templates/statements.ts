import { isCompoundStatement } from '../syntax/kinds.ts';
import type { SyntaxNode } from '../syntax/node.ts';
import { child } from '../syntax/node.ts';
import { textOf } from '../syntax/source-file.ts';
import { statementsOf } from './bodies.ts';
import { hasOwnLines, quote, replaceText, wholeLines } from './edit.ts';
import { reindent } from './moves.ts';
import type { Place, Rewrite, Template } from './template.ts';

const id = 'statements';

/**
 * A statement too many: it is deleted, or a condition or loop around it is. Deletion as in GenProg (Le Goues et
 * al., TSE 2012), Kali (Qi et al., ISSTA 2015) and the statement deletion operator SDL (Deng, Offutt and Li, ICST
 * 2013). Such edits pass weak suites easily, so they are marked and ranked last.
 */
export const statements: Template = {
  id,
  prior: 0.2,
  *rewrites(place) {
    const { node, file } = place.site;
    if (node.parent === null || node.role === 'function' || node.role === 'class' || node.role === 'pass')
      return;
    if (node.role === 'elif' || node.role === 'else') yield* clause(place, node);
    if (node.parent.role !== 'block' && node.parent.role !== 'module') return;
    const what = `${quote(textOf(file, node))} is deleted`;
    if (statementsOf(node.parent).length === 1) {
      const { pass } = file.language.write.jumps;
      yield replaceText(place, node, pass, { template: id, prior: 0.15, what, traits: ['deletes'] });
    } else if (hasOwnLines(file, node)) {
      const splices = [{ ...wholeLines(file, node), text: '' }];
      yield { splices, template: id, prior: 0.2, what, traits: ['deletes'] };
    }
    if (isCompoundStatement(node)) yield* unwrapped(place, node);
  },
};

/** An `elif` or `else` with its body goes. */
function* clause(place: Place, node: SyntaxNode): Generator<Rewrite> {
  const { file } = place.site;
  if (!hasOwnLines(file, node)) return;
  const what = `${quote(textOf(file, node))} is deleted`;
  yield {
    splices: [{ ...wholeLines(file, node), text: '' }],
    template: id,
    prior: 0.1,
    what,
    traits: ['deletes'],
  };
}

/** `if c: body` to `body`. */
function* unwrapped(place: Place, node: SyntaxNode): Generator<Rewrite> {
  const { file } = place.site;
  const body = child(node, 'body');
  if (!['if', 'for', 'while', 'with'].includes(node.role) || body === null || !hasOwnLines(file, node))
    return;
  if (child(node, 'alternative') !== null) return;
  const text = reindent(place, body, node);
  if (text === null) return;
  const what = `${quote(textOf(file, { start: node.start, end: body.start }))} goes, its body stays`;
  yield {
    splices: [{ ...wholeLines(file, node), text }],
    template: id,
    prior: 0.15,
    what,
    traits: ['deletes'],
  };
}
