export type { Found, PlanPolicy, ReadFile, Special } from './check-edit.ts';
export { composeChanges, invertChanges } from './compose.ts';
export { diffOf } from './diff.ts';
export { type Planned, type PlanOptions, planEdits } from './plan.ts';
