import type { Report } from '../../core/index.ts';
import { openedOf } from '../project/opened.ts';
import type { LabJob } from '../types.ts';
import { judge } from '../verdict.ts';
import { type Execution, execute } from './execute.ts';
import { notRun } from './not-run.ts';
import { prepare } from './prepared.ts';
import { refusedPaths } from './refuse-changes.ts';
import { makeReport } from './report.ts';

/**
 * Runs a project's tests once, with a patch or without, in a fresh sandbox, and judges them (the hardened judge). A
 * patch that touches what it may not is `tampered` and is not run. Everything the tests do, hanging and dying
 * included, is a verdict.
 * @throws AssayError `environment` where the workspace cannot be written.
 */
export async function runLab(job: LabJob): Promise<Report> {
  const startedAt = job.clock?.now() ?? new Date();
  const { framework, tree, command } = openedOf(job.project);
  const refused = refusedPaths(job.project, job.changes);
  const { execution, changedFiles } =
    refused.length > 0 ? { execution: notRun(), changedFiles: refused } : await runOnce(job);
  const judgement = judge({
    outcome: execution.outcome,
    received: execution.received,
    expected: job.expected,
    canaries: framework.canaries,
    patched: job.changes.length > 0,
    ignore: job.ignore ?? [],
    changedFiles,
    explainExit: framework.explainExit,
  });
  return makeReport({
    job,
    execution,
    judgement,
    startedAt,
    testFiles: framework.testFiles(tree, command),
  });
}

async function runOnce(job: LabJob): Promise<{ execution: Execution; changedFiles: string[] }> {
  const { project, onProgress, expected } = job;
  const prepared = prepare(project, { changes: job.changes, tests: job.tests ?? 'visible' });
  try {
    const execution = await execute(openedOf(project), {
      ...prepared,
      mode: 'run',
      limits: job.limits,
      signal: job.signal,
      clock: job.clock,
      onTest: onProgress === undefined ? undefined : (seen) => onProgress(seen, expected.ids.length),
    });
    return { execution, changedFiles: prepared.brokenSeals() };
  } finally {
    prepared.dispose();
  }
}
