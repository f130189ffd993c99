import { argumentCount } from './arguments.ts';
import { arithmetic } from './arithmetic.ts';
import { assignments } from './assignments.ts';
import { booleans } from './boolean.ts';
import { bounds } from './bounds.ts';
import { clauses } from './clauses.ts';
import { comparison } from './comparison.ts';
import { declarations } from './declarations.ts';
import { defaults } from './defaults.ts';
import { elements } from './elements.ts';
import { exceptions } from './exceptions.ts';
import { functions } from './functions.ts';
import { guards } from './guards.ts';
import { ingredients } from './ingredients.ts';
import { insertions } from './insertions.ts';
import { jumps } from './jumps.ts';
import { literals } from './literals.ts';
import { lookups } from './lookups.ts';
import { members } from './members.ts';
import { moves } from './moves.ts';
import { names } from './names.ts';
import { offByOne } from './off-by-one.ts';
import { returns } from './returns.ts';
import { slices } from './slices.ts';
import { statements } from './statements.ts';
import { swaps } from './swaps.ts';
import type { Template } from './template.ts';
import { terms } from './terms.ts';
import { unwraps } from './unwraps.ts';
import { wraps } from './wraps.ts';

/** Every family of edits. A new one is one file here. */
export const templates: readonly Template[] = [
  comparison,
  offByOne,
  names,
  functions,
  members,
  swaps,
  arithmetic,
  booleans,
  literals,
  returns,
  jumps,
  clauses,
  assignments,
  wraps,
  bounds,
  unwraps,
  terms,
  slices,
  lookups,
  argumentCount,
  elements,
  exceptions,
  defaults,
  declarations,
  moves,
  guards,
  insertions,
  ingredients,
  statements,
];
