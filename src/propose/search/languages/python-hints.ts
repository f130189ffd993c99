import type { Hint } from '../syntax/language.ts';

/** What the exceptions of Python programs say about the kind of fault; matched against `Type: message`. */
export const hints: readonly Hint[] = [
  {
    when: /^(AttributeError|TypeError): .*NoneType/,
    raises: { guards: 2, clauses: 1.6, returns: 1.5, lookups: 1.5, assignments: 1.3 },
  },
  { when: /^AttributeError: .* has no attribute/, raises: { members: 1.6, wraps: 1.3, unwraps: 1.3 } },
  { when: /^NameError/, raises: { names: 1.6, members: 1.5, functions: 1.5 } },
  { when: /^UnboundLocalError/, raises: { insertions: 2, declarations: 2.5, moves: 1.5, names: 1.3 } },
  { when: /^IndexError/, raises: { off_by_one: 1.4, guards: 1.5, clauses: 1.4, slices: 1.3 } },
  { when: /^KeyError/, raises: { lookups: 2.5, literals: 1.4, guards: 1.4, clauses: 1.3, names: 1.2 } },
  { when: /^ZeroDivisionError/, raises: { guards: 2.5, clauses: 1.8, off_by_one: 1.2 } },
  { when: /^RecursionError/, raises: { guards: 1.6, insertions: 1.4, clauses: 1.4, off_by_one: 1.3 } },
  {
    when: /^TypeError: .*(positional argument|keyword argument|takes|missing \d+ required)/,
    raises: { arguments: 2.5, swaps: 1.3, functions: 1.3 },
  },
  { when: /^TypeError: .*coroutine|never awaited|^AttributeError: 'coroutine'/, raises: { wraps: 2 } },
  {
    when: /^TypeError: .*(not callable|not subscriptable|not iterable)/,
    raises: { members: 1.4, wraps: 1.4, unwraps: 1.4 },
  },
  {
    when: /^TypeError: .*(unsupported operand|can only concatenate|must be str|not supported between|unhashable)/,
    raises: { wraps: 1.8, members: 1.3, literals: 1.2 },
  },
  { when: /^RuntimeError: .*changed size during iteration/, raises: { wraps: 2.5, slices: 2 } },
  { when: /DID NOT RAISE|not raised/, raises: { exceptions: 1.5, guards: 1.4, comparison: 1.1 } },
];
