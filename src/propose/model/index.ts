export { noCallLog } from './call-log.ts';
export * from './prices/index.ts';
export type * from './types.ts';
