import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RepairResult } from '../../src/core/index.ts';
import { fix, journalFaults, killAndResume } from './kill-and-resume.ts';
import { writeCrashProject } from './project.ts';

/** Instants in all: half of them with a replay, half with the search. */
const instants = 20;

describe.each(['replay', 'search'] as const)(
  'a run of the %s proposer, killed at random instants',
  (kind) => {
    let folder: string;
    let reference: RepairResult;
    let wallMs: number;
    let job: { dir: string; model: string };

    beforeAll(async () => {
      folder = mkdtempSync(path.join(os.tmpdir(), `assay-crash-${kind}-`));
      job = writeCrashProject(folder, kind);
      const whole = await fix({ ...job, home: path.join(folder, 'reference') });
      expect(whole.code, whole.stderr).toBe(0);
      reference = JSON.parse(whole.stdout) as RepairResult;
      ({ wallMs } = whole);
    });

    afterAll(() => rmSync(folder, { recursive: true, force: true }));

    it(`goes on from wherever it was, ${instants / 2} times`, { timeout: 300_000 }, async () => {
      const cuts: string[] = [];
      for (let index = 0; index < instants / 2; index += 1) {
        // One instant in each equal slice of the run, so that no phase is left out by bad luck.
        const killAfterMs = ((index + Math.random()) / (instants / 2)) * wallMs;
        const home = path.join(folder, `home-${index}`);
        mkdirSync(home);
        const recovered = await killAndResume({ ...job, home }, killAfterMs);
        cuts.push(recovered.kind === 'resumed' ? recovered.cutAt : recovered.kind);
        if (recovered.kind === 'not_started') continue;
        expect(journalFaults(recovered.events), `killed after ${killAfterMs} ms`).toEqual([]);
        if (recovered.kind === 'ended_before') continue;
        const { status, patch, rounds, tests } = recovered.result;
        expect({ status, patch, rounds, tests }, `killed after ${killAfterMs} ms`).toEqual({
          status: reference.status,
          patch: reference.patch,
          rounds: reference.rounds,
          tests: reference.tests,
        });
        expect(recovered.code).toBe(0);
      }
      // The attack really took place: most of the runs were cut in the middle and taken up again.
      expect(
        cuts.filter((cut) => cut !== 'not_started' && cut !== 'ended_before').length,
        cuts.join(', '),
      ).toBeGreaterThan(2);
    });
  },
);

describe('journalFaults', () => {
  it('sees a lost end and a doubled outcome', () => {
    const applied = { type: 'applied', round: 1, motivation: '', diff: '', state: '', wallMs: 0 } as const;
    expect(journalFaults([applied, applied])).toEqual([
      '0 ends, last applied',
      'applied in round 1 came 2 times',
    ]);
    expect(journalFaults([applied, { type: 'run_ended', end: { status: 'done' } }])).toEqual([]);
  });
});
