export { type Artifact, artifactSchema } from './artifacts.ts';
export { type Env, resolveHome } from './home.ts';
export type { JournalDisk } from './journal.ts';
export type { JournalRecord } from './journal-format.ts';
export type { Pruned, PruneOptions } from './prune.ts';
export type { Run } from './run.ts';
export { type RunInfo, runInfoSchema } from './run-info.ts';
export { isScrubbed, type KnownSecret, type Scrubbed, scrub, secretsIn } from './scrub.ts';
export { type CreateOptions, openStore, type RunSummary, type Store, type StoreOptions } from './store.ts';
