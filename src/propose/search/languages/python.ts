import type { Language } from '../syntax/language.ts';
import { fields, positions, roles } from './python-grammar.ts';
import { hints } from './python-hints.ts';
import { builtins, families } from './python-names.ts';
import { operators } from './python-operators.ts';
import { shapes } from './python-shapes.ts';
import { binary, level, write } from './python-writer.ts';

export const python: Language = {
  id: 'python',
  extensions: ['.py'],
  lineComment: '#',
  grammar: 'tree-sitter-python/tree-sitter-python.wasm',
  roles,
  fields,
  positions,
  operators,
  levels: {
    atom: level.atom,
    lowest: level.lowest,
    comparison: level.comparison,
    not: level.not,
    unary: level.unary,
    await: level.await,
    conditional: level.conditional,
    lambda: level.lambda,
    binary,
    rightAssociative: ['**'],
  },
  families,
  write,
  headEnd: ':',
  standaloneHead: (head) => {
    const opening = /^(elif|else)\b/.test(head)
      ? 'if 1: pass\n'
      : /^(except|finally)\b/.test(head)
        ? 'try: pass\n'
        : '';
    return `${opening}${head.trimEnd()} pass\n`;
  },
  standalone: (text, indented) => (indented ? `if 1:\n${text}\n` : `${text}\n`),
  shapes,
  hints,
  builtins,
  checkedTypes: ['dict', 'list', 'str', 'int'],
  wrappingMethods: [
    ['strip', 'text', 0.3],
    ['lower', 'text', 0.3],
    ['split', 'text', 0.15],
    ['upper', 'text', 0.12],
    ['rstrip', 'text', 0.12],
    ['items', 'dict', 0.35],
    ['values', 'dict', 0.35],
    ['keys', 'dict', 0.15],
    ['copy', 'dict', 0.3],
    ['copy', 'list', 0.25],
    ['copy', 'set', 0.25],
  ],
  asyncKeyword: 'async',
  updateMethods: [
    { name: 'update', shapes: ['dict', 'set'] },
    { name: 'extend', shapes: ['list'] },
    { name: 'append', shapes: ['list'] },
    { name: 'add', shapes: ['set'] },
    { name: 'sort', shapes: [] },
    { name: 'reverse', shapes: [] },
  ],
  putMethods: { list: 'append', set: 'add' },
  outerDeclarations: { function: 'nonlocal', module: 'global' },
  constructorName: '__init__',
  sharesDefaults: true,
  chained: { if: 'if', elif: 'elif' },
  receiver: 'self',
};
