import type { Phrase, Writer } from '../syntax/language.ts';
import { bind } from '../syntax/phrase.ts';

/** Binding levels, tightest last; section "Operator precedence" of the Python language reference. */
export const level = {
  lowest: 0,
  lambda: 1,
  conditional: 2,
  or: 3,
  and: 4,
  not: 5,
  comparison: 6,
  bitOr: 7,
  bitXor: 8,
  bitAnd: 9,
  shift: 10,
  sum: 11,
  product: 12,
  unary: 13,
  power: 14,
  await: 15,
  atom: 16,
} as const;

export const binary: Readonly<Record<string, number>> = {
  or: level.or,
  and: level.and,
  '|': level.bitOr,
  '^': level.bitXor,
  '&': level.bitAnd,
  '<<': level.shift,
  '>>': level.shift,
  '+': level.sum,
  '-': level.sum,
  '*': level.product,
  '/': level.product,
  '//': level.product,
  '%': level.product,
  '@': level.product,
  '**': level.power,
};

const operation = (operator: string, left: Phrase, right: Phrase): Phrase => {
  const at = binary[operator] ?? level.lowest;
  const tightLeft = operator === '**';
  return {
    text: `${bind(left, tightLeft ? at + 1 : at)} ${operator} ${bind(right, tightLeft ? at : at + 1)}`,
    level: at,
  };
};

const comparison = (operator: string, left: Phrase, right: Phrase): Phrase => ({
  text: `${bind(left, level.comparison + 1)} ${operator} ${bind(right, level.comparison + 1)}`,
  level: level.comparison,
});

const atom = (text: string): Phrase => ({ text, level: level.atom });

export const write: Writer = {
  not: (operand) => ({ text: `not ${bind(operand, level.not)}`, level: level.not }),
  and: (left, right) => operation('and', left, right),
  or: (left, right) => operation('or', left, right),
  binary: operation,
  compare: comparison,
  isNone: (operand) => comparison('is', operand, atom('None')),
  isNotNone: (operand) => comparison('is not', operand, atom('None')),
  await: (operand) => ({ text: `await ${bind(operand, level.atom)}`, level: level.await }),
  call: (name, args) => atom(`${name}(${args.join(', ')})`),
  member: (object, name) => atom(`${bind(object, level.atom)}.${name}`),
  subscript: (object, index) => atom(`${bind(object, level.atom)}[${index}]`),
  lookup: (object, key, otherwise) =>
    atom(`${bind(object, level.atom)}.get(${otherwise === null ? key : `${key}, ${otherwise}`})`),
  lookupOrPut: (object, key, first) => atom(`${bind(object, level.atom)}.setdefault(${key}, ${first})`),
  slice: (object, from, to) => atom(`${bind(object, level.atom)}[${from ?? ''}:${to ?? ''}]`),
  guard: (condition, body, indent) => [`if ${condition}:`, `${indent}${body}`],
  returns: (value) => (value === null ? 'return' : `return ${value}`),
  assign: (target, operator, value) => `${target} ${operator} ${value}`,
  jumps: { break: 'break', continue: 'continue', pass: 'pass', rethrow: 'raise' },
  literals: {
    true: 'True',
    false: 'False',
    none: 'None',
    infinity: atom("float('inf')"),
    emptyText: "''",
    emptyList: '[]',
    emptyDict: '{}',
    emptySet: 'set()',
  },
  list: (items) => `[${items.join(', ')}]`,
};
