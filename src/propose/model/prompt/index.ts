export { charactersIn, estimateTokens } from './estimate.ts';
export { withoutNumbers } from './excerpts.ts';
export { type Fence, fenceFor } from './fence.ts';
export { gatherMaterial, type Material, type MaterialOptions } from './material.ts';
export { type Opening, openingOf } from './opening.ts';
export { type Packed, type PackOptions, packFeedback } from './pack.ts';
export {
  exampleArguments,
  type ParsedPatch,
  parsePatchArguments,
  proposePatchName,
  proposePatchTool,
} from './propose-patch-tool.ts';
export { type Reader, readerOf, readingLimits, readingTools } from './reading-tools.ts';
export type { Source } from './sources.ts';
export { systemPrompt, type Transport } from './system.ts';
export { formatEdits } from './text-format.ts';
export { parsePatchText, textFormat } from './text-transport.ts';
export { headAndTail } from './texts.ts';
