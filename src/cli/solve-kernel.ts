import path from 'node:path';
import { type AnalysisSpec, AssayError } from '../core/index.ts';
import { connectionOf, findKernelSpec, openE2bKernel, openJupyterKernel } from '../kernel/index.ts';
import type { OpenKernel } from '../loop/index.ts';
import { doctor } from '../sandbox/index.ts';
import type { CliContext } from './context.ts';
import { layData } from './solve-data.ts';

/** Below the run folder, which only this user can enter; removed when the process is done with the run. */
const workName = 'work';
export const workFolder = (runDir: string) => path.join(runDir, workName);

/**
 * Refuses a kernel that cannot be had before a run is made and a model is paid for it.
 * @throws AssayError `environment` where no such kernel is installed, or no sandbox as strict as asked for can be had;
 * `usage` where E2B has no key
 */
export async function checkKernel({ env }: CliContext, spec: AnalysisSpec): Promise<void> {
  if (spec.runtime === 'e2b') {
    connectionOf(env);
    return;
  }
  findKernelSpec({ kernel: spec.kernel, env });
  const report = await doctor();
  if (report.ok || (!spec.strict && report.relaxed !== undefined)) return;
  throw new AssayError({
    code: 'environment',
    message: 'The sandbox that the code is to run in cannot be had here',
    because: report.unavailable.cause,
    fix: report.unavailable.fix,
  });
}

/** Opens the kernel that a spec names, each time on the data as it is then. */
export function kernelOpener(context: CliContext, spec: AnalysisSpec, runDir: string): OpenKernel {
  const { env, terminal, clock } = context;
  return async ({ signal, onSpill }) => {
    const folder = workFolder(runDir);
    await layData(spec.dataDir, folder, signal);
    const limits = {
      deadlineMs: spec.limits.cellMs,
      ...(spec.memoryBytes === null ? {} : { memoryBytes: spec.memoryBytes }),
    };
    const shared = { limits, onSpill, signal, clock, folder };
    if (spec.runtime === 'jupyter')
      return openJupyterKernel({ ...shared, kernel: spec.kernel, strict: spec.strict, env });
    const files = spec.data === null ? '' : ` and ${countOf(spec.data.total)} of data`;
    terminal.say(`the code${files} now ${files === '' ? 'goes' : 'go'} to ${e2bHost(env)}, to be run there`);
    return openE2bKernel({ ...shared, env, language: spec.kernel, network: spec.network });
  };
}

const countOf = (files: number) => `${files} ${files === 1 ? 'file' : 'files'}`;

const e2bHost = ({ E2B_DOMAIN, E2B_API_URL }: CliContext['env']) =>
  E2B_API_URL ? (URL.parse(E2B_API_URL)?.host ?? E2B_API_URL) : E2B_DOMAIN || 'e2b.app';
