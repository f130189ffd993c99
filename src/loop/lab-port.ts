import type { Report } from '../core/index.ts';
import type {
  Evaluator,
  Expected,
  LabJob,
  LabLimits,
  OpenEvaluatorOptions,
  OpenProjectOptions,
  Project,
} from '../lab/index.ts';
import type { ProposeProgress } from '../propose/index.ts';

/** The doors of the lab that a repair goes through; tests put their own in place. */
export type Lab = {
  openProject(options: OpenProjectOptions): Promise<Project>;
  packProject(project: Project): Promise<Uint8Array>;
  collect(options: {
    project: Project;
    tests?: LabJob['tests'];
    limits?: LabLimits;
    signal?: AbortSignal;
  }): Promise<Expected>;
  runLab(job: LabJob): Promise<Report>;
  openEvaluator(options: OpenEvaluatorOptions): Promise<Evaluator>;
};

/** Shown while an effect runs, never folded. */
export type RepairProgress =
  | { kind: 'tests'; seen: number; total: number }
  /** The set-up command starts. */
  | { kind: 'setup'; command: string }
  | ProposeProgress;
