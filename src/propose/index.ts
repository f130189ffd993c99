export * from './proposers.ts';
export * from './replay/index.ts';
export type * from './types.ts';
