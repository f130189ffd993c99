import type { Clock, Evaluate, Proposed, RepairSpec } from '../core/index.ts';
import type { Project } from '../lab/index.ts';
import type { Proposer, ProposerTools } from '../propose/index.ts';
import { countBatches } from './batches.ts';
import type { CoverageCache } from './coverage-cache.ts';
import type { Lab, RepairProgress } from './lab-port.ts';
import { digestOf, groundOf, layEdits, withChanges } from './layers.ts';
import type { ProposeRequest } from './repair-effects.ts';
import { warmEvaluators } from './warm-evaluators.ts';

export type ProposeContext = {
  spec: RepairSpec;
  /** One for each stage. */
  proposers: readonly Proposer[];
  lab: Pick<Lab, 'openEvaluator'>;
  project: Project;
  clock: Clock;
  coverages: CoverageCache;
  onProgress?: ((progress: RepairProgress) => void) | undefined;
};

/** Asks the proposer, with warm evaluators that are opened when first used and closed whatever happens. */
export async function proposeWith(context: ProposeContext, request: ProposeRequest): Promise<Proposed> {
  const { spec, project, clock, onProgress } = context;
  const { feedback, left, layers, onBatch, calls, signal } = request;
  const proposer = context.proposers[request.stage];
  if (proposer === undefined) throw new Error(`there is no proposer for stage ${request.stage}`);
  const ground = groundOf(project);
  const laid = layEdits(ground, layers);
  if (!laid.ok) throw new Error('a layer that was applied before cannot be laid');
  const current = withChanges(ground, laid.changes);
  const known = new Set(current.files);
  const { changes } = laid;
  const warm = warmEvaluators({
    open: (ignore) =>
      context.lab.openEvaluator({ project, changes, baseline: feedback.report, ignore, signal }),
    // Flaky tests would fail good candidates at random.
    ignore: feedback.flaky,
  });
  const batches = countBatches({ clock, emit: onBatch });
  const tools: ProposerTools = {
    files: current.files,
    read: (file) => (known.has(file) ? textOf(current.read(file)) : null),
    protectedBecause: (file) => project.protectedBecause(file),
    coverage: () =>
      context.coverages.of(digestOf(changes), async () => (await warm.whole()).coverage(signal)),
    evaluate: counted(warm.evaluate, batches.add),
    budget: {
      candidates: left.candidates,
      wallMs: left.wallMs,
      tokens: left.tokens,
      costUsd: left.costUsd,
    },
    calls,
    signal,
    seed: spec.seed,
    ...(onProgress && { onProgress }),
  };
  try {
    const proposed = await proposer.propose(feedback, tools);
    // An abort may look like a proposer with nothing to say; a proposal that was made is worth keeping.
    if (proposed.kind !== 'proposal') signal.throwIfAborted();
    return proposed;
  } finally {
    await warm.close();
    await batches.flush();
  }
}

const counted =
  (evaluate: Evaluate, add: (results: Awaited<ReturnType<Evaluate>>) => Promise<void>): Evaluate =>
  async (candidates, options) => {
    const results = await evaluate(candidates, options);
    await add(results);
    return results;
  };

/** Null for what is no UTF-8 text. The BOM stays: it is part of the file. */
function textOf(
  found: ReturnType<ReturnType<typeof groundOf>['read']> | { bytes: Uint8Array },
): string | null {
  if (found === null || !('bytes' in found) || found.bytes.includes(0)) return null;
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(found.bytes);
  } catch {
    return null;
  }
}
