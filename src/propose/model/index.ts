export { noCallLog } from './call-log.ts';
export type * from './types.ts';
