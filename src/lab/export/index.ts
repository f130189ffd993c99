export * from './ctrf.ts';
export { type Ctrf, ctrfSchema } from './ctrf-schema.ts';
export * from './enforcement-line.ts';
export * from './junit.ts';
export * from './parse-json.ts';
export * from './read-junit.ts';
export * from './render-report.ts';
