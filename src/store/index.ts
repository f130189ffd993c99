export { type Artifact, artifactSchema } from './artifacts.ts';
export { type Env, resolveHome } from './home.ts';
export type { JournalDisk } from './journal.ts';
export type { JournalRecord } from './journal-format.ts';
export { machineError } from './machine-error.ts';
export type { AnalysisNotebook } from './notebook/analysis-notebook.ts';
export {
  type NotebookCell,
  type NotebookContent,
  type NotebookOutput,
  notebookSchema,
} from './notebook/format.ts';
export { bytesOfData, dataOfBytes, isBinaryType, isJsonType, textOfData } from './notebook/mime.ts';
export type { NotebookItem } from './notebook/notebook.ts';
export { asArtifactRef } from './notebook/outputs.ts';
export { parseNotebook, readNotebook } from './notebook/read-notebook.ts';
export type { Pruned, PruneOptions } from './prune.ts';
export type { Run } from './run.ts';
export { type RunInfo, runInfoSchema } from './run-info.ts';
export { isScrubbed, type KnownSecret, type Scrubbed, scrub, scrubValue, secretsIn } from './scrub.ts';
export { type CreateOptions, openStore, type RunSummary, type Store, type StoreOptions } from './store.ts';
