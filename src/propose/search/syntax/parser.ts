import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { Language as Grammar, Parser, type TreeCursor } from 'web-tree-sitter';
import type { Language } from './language.ts';
import type { Role, SyntaxNode } from './node.ts';

/** Parses source of one language. Its memory lives outside the JavaScript heap: call `close`. */
export type SyntaxParser = {
  readonly language: Language;
  /** The whole tree of `text`, copied out of the parser's memory. */
  parse(text: string): SyntaxNode;
  /** True when `text` is a whole file without a syntax error, as far as the grammar can tell. */
  accepts(text: string): boolean;
  close(): void;
};

/** Loads a grammar. Rejects when its wasm cannot be read: a broken installation. */
export async function openParser(language: Language): Promise<SyntaxParser> {
  await Parser.init();
  const grammar = await Grammar.load(grammarFile(language));
  const parser = new Parser();
  parser.setLanguage(grammar);
  const parsed = (text: string) => {
    const tree = parser.parse(text);
    if (tree === null) throw new Error(`the ${language.id} parser gave no tree`);
    return tree;
  };
  return {
    language,
    parse(text) {
      const tree = parsed(text);
      const cursor = tree.walk();
      try {
        return copy(cursor, language, null, null);
      } finally {
        cursor.delete();
        tree.delete();
      }
    },
    accepts(text) {
      const tree = parsed(text);
      const broken = tree.rootNode.hasError;
      tree.delete();
      return !broken;
    },
    close: () => parser.delete(),
  };
}

/** A built package brings the grammars along; a checkout has them in the packages they come from. */
function grammarFile({ grammar }: Language): string {
  const brought = path.join(import.meta.dirname, '../grammars', path.basename(grammar));
  return existsSync(brought) ? brought : createRequire(import.meta.url).resolve(grammar);
}

type Draft = { -readonly [key in keyof SyntaxNode]: SyntaxNode[key] } & { children: SyntaxNode[] };

/** web-tree-sitter counts in UTF-16 units, as JavaScript strings do, so offsets are taken over as they are. */
function copy(
  cursor: TreeCursor,
  language: Language,
  parent: SyntaxNode | null,
  field: string | null,
): SyntaxNode {
  const type = cursor.nodeType;
  const node: Draft = {
    role: roleOf(type, cursor.nodeIsNamed, language),
    type,
    start: cursor.startIndex,
    end: cursor.endIndex,
    field,
    parent,
    children: [],
    broken: type === 'ERROR' || cursor.nodeIsMissing,
  };
  if (!cursor.gotoFirstChild()) return node;
  const renamed = language.fields[type];
  const positions = language.positions[type];
  let part = 0;
  do {
    const given = cursor.currentFieldName;
    let name = given === null ? null : (renamed?.[given] ?? given);
    if (name === null && positions !== undefined && cursor.nodeIsNamed && cursor.nodeType !== 'comment') {
      name = positions[part] ?? null;
      part += 1;
    }
    const below = copy(cursor, language, node, name);
    if (below.broken) node.broken = true;
    node.children.push(below);
  } while (cursor.gotoNextSibling());
  cursor.gotoParent();
  return node;
}

function roleOf(type: string, named: boolean, language: Language): Role {
  if (type === 'ERROR') return 'error';
  const role = language.roles[type];
  if (role !== undefined && named) return role;
  return named ? 'other' : 'token';
}
