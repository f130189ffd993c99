import { AssayError, type Clock, type FileChange, type RepairSpec, type Report } from '../core/index.ts';
import { type Expected, type FrameworkId, type LabJob, type Project, withBaseline } from '../lab/index.ts';
import { diffOf } from '../patch/index.ts';
import type { Proposer } from '../propose/index.ts';
import { coverageCache } from './coverage-cache.ts';
import { watchIdle } from './idle-watch.ts';
import type { Lab, RepairProgress } from './lab-port.ts';
import { digestOf, groundOf, layEdits, userGroundOf } from './layers.ts';
import { proposeWith } from './propose-with.ts';
import type { RepairEffects, TestOptions } from './repair-effects.ts';
import type { Layers } from './repair-state.ts';
import { baselineTime, collectTime, hungReport, patchedTime, type TestTime } from './test-time.ts';
import { partReport } from './visible.ts';

export type LabEffectsOptions = {
  spec: RepairSpec;
  /** One for each stage. */
  proposers: readonly Proposer[];
  lab: Lab;
  /** An existing folder for the snapshot; see `OpenProjectOptions`. */
  scratch: string;
  clock: Clock;
  /** What an earlier process packed of the project; see `OpenProjectOptions`. */
  packed?: () => Promise<Uint8Array | null>;
  /** Called once, when the project is open; no test runs before it is done, and what it throws ends the effect. */
  onProject?: (project: Project) => void | Promise<void>;
  onProgress?: (progress: RepairProgress) => void;
};

type Opened = { project: Project; visible: Expected };

/**
 * The repair effects on the real lab, patch room and proposer. The project is opened by the first effect that needs
 * it, so that what goes wrong there is an event of the run like any other failure.
 */
export function labEffects(
  options: LabEffectsOptions,
): RepairEffects & { open(signal: AbortSignal): Promise<Project> } {
  const { spec, lab, clock, onProgress } = options;
  const coverages = coverageCache();
  let opening: Promise<Opened> | null = null;
  const opened = (signal: AbortSignal) => (opening ??= openAll(options, signal));
  // Held-out tests are collected when they are first needed: a run without a confirmation needs none.
  let collecting: Promise<Expected> | null = null;
  const all = async (signal: AbortSignal) => {
    const { project, visible } = await opened(signal);
    if (project.heldOut.length === 0) return visible;
    collecting ??= lab.collect({ project, tests: 'all', limits: collectTime(spec), signal });
    return trusted(spec, await collecting);
  };

  const run = async (job: LabJob, time: TestTime, signal: AbortSignal): Promise<Report> => {
    const watch = watchIdle({ signal, firstMs: time.firstMs });
    const onTest = (seen: number, total: number) => {
      watch.seen(time.betweenMs);
      onProgress?.({ kind: 'tests', seen, total });
    };
    try {
      const limits = { wallMs: time.wallMs, testMs: time.testMs };
      const report = await lab.runLab({ ...job, limits, signal: watch.signal, clock, onProgress: onTest });
      if (report.verdict !== 'aborted') return report;
      // A report of an aborted run says nothing of the code; the driver knows what to make of the rejection.
      signal.throwIfAborted();
      return watch.idled ? hungReport(report, time.betweenMs) : report;
    } finally {
      watch.stop();
    }
  };

  const judged = async (test: TestOptions, job: Pick<LabJob, 'expected' | 'tests'>): Promise<Report> => {
    const { layers, state, flaky, baseline, signal } = test;
    const { project } = await opened(signal);
    const changes = changesOf(project, layers);
    checkDigest(changes, state);
    // Skips that a test decides on while it runs show only in a run of the original.
    const expected = withBaseline(job.expected, baseline);
    return run({ ...job, expected, project, changes, ignore: flaky }, patchedTime(spec, baseline), signal);
  };

  /** What the held-out tests skip in the original is no fault of a patch; looked up only where a skip is in the way. */
  const withHeldOut = async (expected: Expected, signal: AbortSignal): Promise<Expected> => {
    const { project } = await opened(signal);
    const nothing: Expected = { source: 'unknown', ids: [], skipped: [] };
    const original: LabJob = { project, changes: [], expected: nothing, tests: 'held_out' };
    return withBaseline(expected, await run(original, baselineTime(spec), signal));
  };

  return {
    open: async (signal) => (await opened(signal)).project,
    async baseline({ signal }) {
      const { project, visible } = await opened(signal);
      return run({ project, changes: [], expected: visible }, baselineTime(spec), signal);
    },
    async propose(request) {
      const { project } = await opened(request.signal);
      return proposeWith({ ...options, project, coverages }, request);
    },
    async apply({ layers, edits, alternatives, signal }) {
      const { project } = await opened(signal);
      const before = changesOf(project, layers);
      const ground = userGroundOf(project);
      const laid = layEdits(ground, [edits], before);
      if (!laid.ok) return { kind: 'refused', refusals: laid.refusals };
      const diffs = alternatives.flatMap(({ motivation, edits: other }) => {
        const also = layEdits(ground, [other], before);
        return also.ok ? [{ motivation, diff: diffOf(also.changes) }] : [];
      });
      const { changes } = laid;
      return { kind: 'applied', diff: diffOf(changes), state: digestOf(changes), alternatives: diffs };
    },
    async test(test) {
      const { visible } = await opened(test.signal);
      return judged(test, { expected: visible, tests: 'visible' });
    },
    async confirm(test) {
      const { project, visible } = await opened(test.signal);
      let expected = await all(test.signal);
      let whole = await judged(test, { expected, tests: 'all' });
      if (project.heldOut.length > 0 && whole.integrity.newlySkipped.length > 0) {
        expected = await withHeldOut(expected, test.signal);
        whole = await judged(test, { expected, tests: 'all' });
      }
      const { heldOut: files } = project;
      const { visible: report, heldOut } = partReport(whole, { files, all: expected, visible });
      return { agreed: whole.verdict === 'passed', report, whole, heldOut };
    },
  };
}

async function openAll(options: LabEffectsOptions, signal: AbortSignal): Promise<Opened> {
  const { spec, lab, scratch, clock } = options;
  const packed = (await options.packed?.()) ?? null;
  const project = await lab.openProject({
    dir: spec.dir,
    scratch,
    protect: spec.protect,
    holdout: spec.holdout,
    strict: spec.strict,
    signal,
    clock,
    ...(spec.framework !== null && { framework: spec.framework as FrameworkId }),
    ...(spec.testCommand !== null && { testCommand: spec.testCommand }),
    ...(spec.setup !== null && { setup: spec.setup, setupMs: spec.limits.wallMs }),
    onSetUp: (command) => options.onProgress?.({ kind: 'setup', command }),
    ...(packed !== null && { packed }),
  });
  if (spec.holdout.length > 0 && project.heldOut.length === 0) {
    throw new AssayError({
      code: 'usage',
      message: `no file matches --holdout ${spec.holdout.join(' ')}`,
      because: 'a patch would be confirmed by nothing',
      fix: 'give a glob relative to the project, e.g. tests/hidden/**',
    });
  }
  const limits = collectTime(spec);
  const collected = lab.collect({ project, tests: 'visible', limits, signal });
  const [expected] = await Promise.all([collected, options.onProject?.(project)]);
  checkVisible(project, expected);
  return { project, visible: trusted(spec, expected) };
}

/** Where all tests are held out there is nothing to repair by. */
function checkVisible({ heldOut }: Project, expected: Expected): void {
  const found = expected.ids.length + (expected.partial?.length ?? 0) + (expected.problems?.length ?? 0);
  if (heldOut.length === 0 || found > 0) return;
  throw new AssayError({
    code: 'usage',
    message: '--holdout hides every test there is',
    because: `it matches ${heldOut.length === 1 ? heldOut[0] : `${heldOut.length} files, and no other has a test`}`,
    fix: 'hold out some of the tests only: the others have to fail for a patch to be looked for',
  });
}

/** `--trust-collected`: what each run collects is what is expected, where nothing better is known. */
const trusted = (spec: RepairSpec, expected: Expected): Expected =>
  spec.trustCollected && expected.source === 'unknown' ? { ...expected, source: 'trusted' } : expected;

function changesOf(project: Project, layers: Layers): FileChange[] {
  const laid = layEdits(groundOf(project), layers);
  if (!laid.ok) throw groundChanged(laid.refusals.map(({ message }) => message).join('; '));
  return laid.changes;
}

function checkDigest(changes: FileChange[], state: string): void {
  if (digestOf(changes) !== state) throw groundChanged('the patched files differ from those of the journal');
}

const groundChanged = (because: string) =>
  new AssayError({
    code: 'changed',
    message: 'the patch of an earlier round cannot be made again',
    because,
    fix: 'start a new run',
  });
