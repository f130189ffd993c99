export { noCallLog } from './call-log.ts';
export { type CallSizes, callSizes } from './call-sizes.ts';
export { type CallOutcome, type PaidCalls, paidCalls } from './paid-calls.ts';
export * from './prices/index.ts';
export { projectionFor, projectionOf } from './projection.ts';
export {
  charactersIn,
  estimateTokens,
  type Fence,
  fenceFor,
  gatherMaterial,
  type Packed,
  type PackOptions,
  packFeedback,
  type Source,
} from './prompt/index.ts';
export { type ModelProposerOptions, modelProposer } from './proposer.ts';
export { type CreateModelOptions, checkModelId, createModel, hasKey } from './providers.ts';
export { type ReplayHeader, recordingModel, replayModel, tookReply } from './recorded.ts';
export { requestGist } from './request-gist.ts';
export { callHash, requestHash } from './request-hash.ts';
export { type RetryOptions, retryingModel } from './retrying.ts';
export { type ScriptedModel, type ScriptedModelReply, scriptedModel } from './scripted.ts';
export { refusesTools } from './tool-trouble.ts';
export type * from './types.ts';
export { requestCharacters } from './usage.ts';
