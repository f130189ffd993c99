/** The loops: what happens next, decided by pure machines and driven by the one loop that touches the world. */

export * from './analysis/index.ts';
export type { Left, Spent } from './budget.ts';
export {
  type Budget,
  type Driven,
  type DriveOptions,
  drive,
  type Effects,
  type Inbox,
  type Journal,
  type Message,
} from './drive.ts';
export { type FakeLabOptions, fakeLab } from './fake-lab.ts';
export { createInbox } from './inbox.ts';
export type { Lab, RepairProgress } from './lab-port.ts';
export { type Ground, type Laid, layEdits } from './layers.ts';
export type { DriveEvent, Machine, Next } from './machine.ts';
export { madeProposal, madeReport, madeSpec, madeTest } from './made.ts';
export { repairMachine } from './repair.ts';
export type { RepairEffects } from './repair-effects.ts';
export type { Layers, RepairState } from './repair-state.ts';
export { resultOf } from './result.ts';
export { type Position, positionAfter, startOf, takeUp } from './resume.ts';
export {
  type RepairOptions,
  type RepairRun,
  repairFiles,
  repliesIn,
  resumeRepair,
  runRepair,
} from './run-repair.ts';
export { stagesOf } from './stages.ts';
export { fingerprint, groupFailures, normaliseMessage } from './stagnation.ts';
export {
  type EffectsScript,
  fakeClock,
  fakeEffects,
  memoryJournal,
  runScript,
} from './testing.ts';
export { foldRepair, type RepairView, viewOf } from './view.ts';
