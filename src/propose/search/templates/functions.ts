import { argumentsOf } from '../analysis/file-index.ts';
import { visibleNames } from '../analysis/names.ts';
import type { SyntaxNode } from '../syntax/node.ts';
import { textOf } from '../syntax/source-file.ts';
import { replaceText } from './edit.ts';
import { reads, slotOf } from './slots.ts';
import type { Place, Rewrite, Template } from './template.ts';

const id = 'functions';

/**
 * Another function: of the same family (`any` and `all`, `min` and `max`), or one of this file that takes as many
 * arguments. "Wrong function name" of ManySStuBs4J (Karampatsis and Sutton, MSR 2020); the method replacer of PAR
 * (Kim et al., ICSE 2013).
 */
export const functions: Template = {
  id,
  prior: 0.8,
  *rewrites(place) {
    for (const node of reads(place)) {
      if (node.role !== 'identifier') continue;
      const called = slotOf(place, node) === 'callee';
      const call = called ? node.parent : null;
      const text = textOf(place.site.file, node);
      const known = callableNames(place, node);
      const family = familyOf(place.site.file.language.families.functions, text);
      for (const [rank, other] of family.entries()) {
        if (!known.has(other)) continue;
        yield replaceText(place, node, other, { template: id, prior: 0.8 / (1 + rank * 0.5) });
      }
      if (call !== null || known.has(text)) yield* fromFile(place, node, call, known, family);
    }
  },
};

function* fromFile(
  place: Place,
  node: SyntaxNode,
  call: SyntaxNode | null,
  known: ReadonlySet<string>,
  family: readonly string[],
): Generator<Rewrite> {
  const text = textOf(place.site.file, node);
  const given = call === null ? null : argumentsOf(call);
  for (const [other, { arity, method }] of place.index.functions) {
    if (other === text || method || !known.has(other) || family.includes(other)) continue;
    if (given !== null && (given.length < arity.min || given.length > arity.max)) continue;
    // A function of the file for another of the file is likelier than for one everybody knows.
    const related = place.index.functions.has(text) ? 0.45 : 0.2;
    yield replaceText(place, node, other, { template: id, prior: given === null ? 0.2 : related });
  }
}

function callableNames(place: Place, node: SyntaxNode): ReadonlySet<string> {
  const bound = visibleNames(place.index, place.site, node)
    .filter((name) => name.kind === 'function' || name.kind === 'class' || name.kind === 'import')
    .map((name) => name.name);
  return new Set([...bound, ...place.site.file.language.builtins.keys()]);
}

/** The other members of every family `name` is in, the nearer first. */
export function familyOf(families: readonly (readonly string[])[], name: string): string[] {
  const found = families.filter((family) => family.includes(name)).flat();
  return [...new Set(found)].filter((other) => other !== name);
}
