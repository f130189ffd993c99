export { claimedPaths, missingOf } from './claims.ts';
export { type Context, contextOf, type ImageRef } from './context.ts';
export type { AnalysisProgress } from './effects.ts';
export { type EvidenceOf, type EvidenceSource, fileEvidence } from './evidence-port.ts';
export type { OpenKernel } from './kernel-holder.ts';
export { analysisMachine } from './machine.ts';
export { madeAnalysisSpec, madeCalls, madeError, madePrint } from './made.ts';
export type { ModelOf } from './models.ts';
export { differenceOf, type ReplayStep, replayOf } from './replay.ts';
export { analysisResultOf } from './result.ts';
export {
  type AnalysisOptions,
  type AnalysisRun,
  analysisFiles,
  resumeAnalysis,
  runAnalysis,
} from './run.ts';
export type { AnalysisState, RanCell } from './state.ts';
export { takeUpAnalysis } from './take-up.ts';
export { parseTask, type Task } from './task.ts';
export { analysisTools } from './tools.ts';
export { type AnalysisView, analysisViewOf, foldAnalysis } from './view.ts';
