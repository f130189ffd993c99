/**
 * What kind of value an expression seems to give. A guess from literals, well-known calls and use, made to order
 * candidates, never to rule one out.
 */
export type Shape = 'number' | 'text' | 'bool' | 'list' | 'tuple' | 'set' | 'dict' | 'none' | 'callable';

/** What a language's well-known names say about shapes. */
export type ShapeTables = {
  /** What a call of a function of this name gives. */
  readonly calls: Readonly<Record<string, Shape>>;
  /** What a call of a method of this name gives. */
  readonly methods: Readonly<Record<string, Shape>>;
  /** What a value is that has a method of this name. */
  readonly receivers: Readonly<Record<string, Shape>>;
  readonly annotations: readonly (readonly [RegExp, Shape])[];
};
