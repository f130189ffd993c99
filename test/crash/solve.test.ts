import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { sweep } from '../../src/sandbox/index.ts';
import { eventually, processesWith } from '../attacks/host.ts';
import { kernelEnv } from '../cli/solve-replies.ts';
import { instantIn } from './kill-and-resume.ts';
import { killAndResumeSolve, type SolveJob, startSolveJob } from './kill-solve.ts';

const instants = 7;
const relaxed = inject('holdsEveryLimit') ? [] : ['--no-strict'];

describe('an analysis, killed at random instants', () => {
  let folder: string;
  let job: SolveJob;

  beforeAll(async () => {
    Object.assign(process.env, kernelEnv);
    folder = mkdtempSync(path.join(os.tmpdir(), 'assay-crash-solve-'));
    job = await startSolveJob({ folder, args: relaxed });
  });

  afterAll(async () => {
    await job.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it(`comes to the same end, ${instants} times`, { timeout: 300_000 }, async () => {
    const cuts: string[] = [];
    for (let index = 0; index < instants; index += 1) {
      const kill = instantIn(job.pace, index, instants);
      const when = `killed ${Math.round(kill.ms)} ms after event ${kill.events}`;
      const recovered = await killAndResumeSolve(job, { home: path.join(folder, `home-${index}`), kill });
      if (recovered.kind !== 'resumed') continue;
      cuts.push(recovered.cutAt);
      expect(recovered.faults, when).toEqual([]);
      expect(recovered.outcome, when).toEqual(recovered.expected);
    }
    // The attack really took place.
    expect(cuts.length, cuts.join(', ')).toBeGreaterThanOrEqual(4);
    sweep();
    expect(await eventually(() => processesWith(folder).length === 0), 'processes were left').toBe(true);
  });
});
