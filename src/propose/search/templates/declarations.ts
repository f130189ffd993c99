import type { Scope } from '../analysis/scope.ts';
import { isStatement } from '../syntax/kinds.ts';
import { child } from '../syntax/node.ts';
import { statementsOf } from './bodies.ts';
import { hasOwnLines, linesBefore, quote } from './edit.ts';
import type { Place, Rewrite, Template } from './template.ts';

const id = 'declarations';

/**
 * A name that a function stores into without saying that it belongs to the scope around (`nonlocal`, `global`): Python
 * then takes it for a local and fails with an UnboundLocalError. The scoping faults of PyTER's study (Oh and Oh,
 * ESEC/FSE 2022); only where the language has such declarations.
 */
export const declarations: Template = {
  id,
  prior: 0.4,
  *rewrites(place) {
    const { node, file } = place.site;
    const scope = place.index.scopes.get(node);
    const body = node.role === 'function' ? child(node, 'body') : null;
    const first = body === null ? undefined : statementsOf(body).find(isStatement);
    if (scope === undefined || first === undefined || !hasOwnLines(file, first)) return;
    for (const binding of scope.bindings.values()) {
      if (binding.kind === 'local') yield* declared(place, scope, binding.name, first);
    }
  },
};

function* declared(
  place: Place,
  scope: Scope,
  name: string,
  first: Parameters<typeof hasOwnLines>[1],
): Generator<Rewrite> {
  const { file } = place.site;
  const words = file.language.outerDeclarations;
  for (let at = scope.parent; at !== null && words !== null; at = at.parent) {
    if (at.kind === 'class' || !at.bindings.has(name)) continue;
    const statement = `${at.kind === 'module' ? words.module : words.function} ${name}`;
    yield {
      splices: [linesBefore(file, first, [statement])],
      template: id,
      prior: 0.4,
      what: `${quote(statement)} is put at the start`,
      traits: [],
    };
    return;
  }
}
