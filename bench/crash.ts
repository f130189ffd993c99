import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { RepairResult } from '../src/core/index.ts';
import { fix, journalFaults, killAndResume } from '../test/crash/kill-and-resume.ts';
import { writeCrashProject } from '../test/crash/project.ts';
import type { Section } from './run.ts';

/** Kills per proposer; together the 100 of the issue. */
const kills = 50;

/** Runs killed with SIGKILL at random instants and resumed: how many find the same end with a clean journal. */
export async function bench(): Promise<Section> {
  const rows: string[] = [];
  for (const kind of ['replay', 'search'] as const) rows.push(await measure(kind));
  return {
    title: 'Crash: killed at random instants and resumed',
    lines: [
      '| proposer | kills | same end, clean journal | cut in the middle | before the first event | after the end |',
      '|---|---:|---:|---:|---:|---:|',
      ...rows,
      '',
      'SIGKILL to the process at instants spread evenly, at random, over the time of a whole run; then `assay resume`.',
    ],
  };
}

async function measure(kind: 'replay' | 'search'): Promise<string> {
  const folder = mkdtempSync(path.join(os.tmpdir(), `assay-bench-crash-${kind}-`));
  try {
    const job = writeCrashProject(folder, kind);
    const whole = await fix({ ...job, home: path.join(folder, 'reference') }, { strict: true });
    const reference = JSON.parse(whole.stdout) as RepairResult;
    const counts = { good: 0, resumed: 0, not_started: 0, ended_before: 0 };
    for (let index = 0; index < kills; index += 1) {
      const home = path.join(folder, `home-${index}`);
      mkdirSync(home);
      const recovered = await killAndResume(
        { ...job, home },
        { strict: true, kill: { events: 0, ms: ((index + Math.random()) / kills) * whole.wallMs } },
      );
      counts[recovered.kind] += 1;
      const clean = recovered.kind === 'not_started' || journalFaults(recovered.events).length === 0;
      const same =
        recovered.kind !== 'resumed' ||
        (recovered.result.status === reference.status && recovered.result.patch === reference.patch);
      if (clean && same) counts.good += 1;
      else process.stderr.write(`${kind}: kill ${index} went wrong: ${JSON.stringify(recovered)}\n`);
    }
    return `| ${kind} | ${kills} | **${counts.good}** | ${counts.resumed} | ${counts.not_started} | ${counts.ended_before} |`;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
