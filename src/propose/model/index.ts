export { noCallLog } from './call-log.ts';
export * from './prices/index.ts';
export {
  gatherMaterial,
  type Packed,
  type PackOptions,
  packFeedback,
  type Source,
} from './prompt/index.ts';
export { type ModelProposerOptions, modelProposer } from './proposer.ts';
export { type CreateModelOptions, createModel } from './providers.ts';
export { type ReplayHeader, recordingModel, replayModel } from './recorded.ts';
export { requestHash } from './request-hash.ts';
export { type RetryOptions, retryingModel } from './retrying.ts';
export { type ScriptedModel, type ScriptedModelReply, scriptedModel } from './scripted.ts';
export type * from './types.ts';
