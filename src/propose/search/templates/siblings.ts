import { classAround } from '../analysis/member.ts';
import type { VisibleName } from '../analysis/names.ts';
import { visibleValues } from '../analysis/names.ts';
import { functionAround, receiverOf } from '../analysis/scope.ts';
import type { SyntaxNode } from '../syntax/node.ts';
import type { Place } from './template.ts';

/** A function or sibling method of this file, as it is written to be called from here. */
export type Sibling = {
  name: string;
  callee: string;
  /** Fewest and most arguments, without a receiver. */
  min: number;
  max: number;
  /** The visible values that bear the names of its required parameters; null where one is missing. */
  byName: string[] | null;
};

/** What of this file can be called at `at`, special methods and the function around left out. */
export function siblingsAt(place: Place, at: SyntaxNode, values?: readonly VisibleName[]): Sibling[] {
  const { file, scope } = place.site;
  const { write, levels } = file.language;
  const receiver = receiverOf(scope);
  const around = functionAround(scope)?.name;
  const owner = classAround(scope);
  const own = owner === null ? undefined : place.index.classes.get(owner);
  const known = new Set((values ?? visibleValues(place.index, place.site, at)).map((value) => value.name));
  const found: Sibling[] = [];
  for (const [name, { method, parameters, arity }] of place.index.functions) {
    const reachable = method ? receiver !== null && own?.has(name) === true : true;
    if (name === around || !reachable || /^__.*__$/.test(name)) continue;
    const needed = parameters.filter((parameter) => !parameter.optional).map((parameter) => parameter.name);
    const callee = method ? write.member({ text: receiver ?? '', level: levels.atom }, name).text : name;
    const byName = needed.every((one) => known.has(one)) ? needed : null;
    found.push({ name, callee, min: arity.min, max: arity.max, byName });
  }
  return found;
}
