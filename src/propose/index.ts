export * from './model/index.ts';
export { withoutNoise } from './noise.ts';
export * from './proposers.ts';
export * from './replay/index.ts';
export { searchProposer } from './search/index.ts';
export type * from './types.ts';
