export * from './proposer.ts';
