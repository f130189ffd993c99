import type { Role } from './node.ts';
import type { Shape, ShapeTables } from './shape.ts';

/** What is needed to search in one language: its grammar's names, its operators, and how to write its phrases. */
export type Language = {
  /** E.g. `python`. */
  readonly id: string;
  /** With the dot, e.g. `.py`. */
  readonly extensions: readonly string[];
  /** What begins a comment that runs to the end of its line. */
  readonly lineComment: string;
  /** Module specifier of the grammar's wasm. */
  readonly grammar: string;
  readonly roles: Readonly<Record<string, Role>>;
  /** Our field names by node type and the grammar's field name. Fields that are not listed keep the grammar's name. */
  readonly fields: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** Our field names for the parts of a node that the grammar gives no field, by position. */
  readonly positions: Readonly<Record<string, readonly string[]>>;
  readonly operators: Operators;
  readonly levels: Levels;
  readonly families: Families;
  readonly shapes: ShapeTables;
  readonly write: Writer;
  /** Whole statements, indented or not, in a form the parser takes as a whole file. */
  standalone(text: string, indented: boolean): string;
  /** What the head of a statement with a body ends with. */
  readonly headEnd: string;
  /** The head of a statement or clause, up to its body, in a form the parser takes as a whole file. */
  standaloneHead(head: string): string;
  /** Names that exist without being bound, with the number of arguments they take. */
  readonly builtins: ReadonlyMap<string, Arity>;
  readonly hints: readonly Hint[];
  /** Types that code asks about before it looks into a value. */
  readonly checkedTypes: readonly string[];
  /** Methods without arguments that turn a value into what was meant: name, shape of the value, prior. */
  readonly wrappingMethods: readonly (readonly [name: string, shape: Shape, prior: number])[];
  /** What a function that may wait begins with. */
  readonly asyncKeyword: string;
  /** Methods that change their object and give nothing, and the shapes that have them. */
  readonly updateMethods: readonly { readonly name: string; readonly shapes: readonly Shape[] }[];
  /** The method that puts one value into a container. */
  readonly putMethods: Readonly<Partial<Record<Shape, string>>>;
  /** The words that say a name belongs to the function around or to the module; null: the language has none. */
  readonly outerDeclarations: { readonly function: string; readonly module: string } | null;
  /** The method that makes an object of its class. */
  readonly constructorName: string;
  /** True where a parameter's default is made once and shared by all calls. */
  readonly sharesDefaults: boolean;
  /** The words that begin a condition and a further condition of the same statement. */
  readonly chained: { readonly if: string; readonly elif: string };
  /** The name by which a method reaches its own object, where that is a parameter; else null. */
  readonly receiver: string | null;
};

/** The fewest and the most positional arguments; Infinity: any number. */
export type Arity = { readonly min: number; readonly max: number };

/** Replacements of each operator, the likelier first. */
export type Operators = {
  readonly comparison: Readonly<Record<string, readonly string[]>>;
  /** `<` to `>`, for swapping the sides. */
  readonly mirrored: Readonly<Record<string, string>>;
  /** `<` to `>=`. */
  readonly negated: Readonly<Record<string, string>>;
  readonly arithmetic: Readonly<Record<string, readonly string[]>>;
  readonly augmented: Readonly<Record<string, readonly string[]>>;
  readonly boolean: Readonly<Record<string, string>>;
};

/**
 * How tightly an expression binds, as a number: an operand must bind at least as tightly as its place asks, else
 * it is put in parentheses.
 */
export type Levels = {
  readonly atom: number;
  readonly lowest: number;
  readonly comparison: number;
  readonly not: number;
  readonly unary: number;
  readonly await: number;
  readonly conditional: number;
  readonly lambda: number;
  /** By operator text: arithmetic, bit and boolean operators. */
  readonly binary: Readonly<Record<string, number>>;
  readonly rightAssociative: readonly string[];
};

/** Names that stand in for each other, each list one family. */
export type Families = {
  readonly functions: readonly (readonly string[])[];
  readonly methods: readonly (readonly string[])[];
  readonly exceptions: readonly (readonly string[])[];
};

/** Templates that become likelier when a failing test died in a way, by template id. */
export type Hint = { readonly when: RegExp; readonly raises: Readonly<Record<string, number>> };

/** A phrase and how tightly it binds. */
export type Phrase = { readonly text: string; readonly level: number };

/** Writes phrases of the language. Operands come in as phrases and are put in parentheses where needed. */
export type Writer = {
  not(operand: Phrase): Phrase;
  and(left: Phrase, right: Phrase): Phrase;
  or(left: Phrase, right: Phrase): Phrase;
  binary(operator: string, left: Phrase, right: Phrase): Phrase;
  compare(operator: string, left: Phrase, right: Phrase): Phrase;
  isNone(operand: Phrase): Phrase;
  isNotNone(operand: Phrase): Phrase;
  await(operand: Phrase): Phrase;
  call(name: string, args: readonly string[]): Phrase;
  member(object: Phrase, name: string): Phrase;
  subscript(object: Phrase, index: string): Phrase;
  /** The value of a key, and another value where the key is missing; null: none. */
  lookup(object: Phrase, key: string, otherwise: string | null): Phrase;
  /** The value of a key, put in first where the key is missing. */
  lookupOrPut(object: Phrase, key: string, first: string): Phrase;
  /** null: an open end. */
  slice(object: Phrase, from: string | null, to: string | null): Phrase;
  /** One statement in another's body, as lines without outer indentation. */
  guard(condition: string, body: string, indent: string): string[];
  /** null: no value. */
  returns(value: string | null): string;
  assign(target: string, operator: string, value: string): string;
  /** Statements that leave a loop, skip a round, do nothing, or raise again what was caught. */
  readonly jumps: {
    readonly break: string;
    readonly continue: string;
    readonly pass: string;
    readonly rethrow: string;
  };
  readonly literals: {
    readonly true: string;
    readonly false: string;
    readonly none: string;
    readonly infinity: Phrase;
    readonly emptyText: string;
    readonly emptyList: string;
    readonly emptyDict: string;
    readonly emptySet: string;
  };
  /** `[x]`. */
  list(items: readonly string[]): string;
};
