export * from './recording.ts';
export * from './recording-proposer.ts';
export * from './replay-proposer.ts';
export * from './scripted-proposer.ts';
