export * from './export/index.ts';
export { openProject, packProject } from './project/open-project.ts';
export { type CollectOptions, collect } from './run/collect.ts';
export { defaultTestMs, isHung } from './run/limits.ts';
export { needsNetwork } from './run/network-hint.ts';
export { runLab } from './run/run-lab.ts';
export type * from './types.ts';
export { openEvaluator } from './warm/evaluator.ts';
export { withBaseline } from './with-baseline.ts';
