import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { type RepairEvent, type RepairResult, repairEventSchema } from '../../src/core/index.ts';
import { sweep } from '../../src/sandbox/index.ts';
import { openStore } from '../../src/store/index.ts';
import { eventually, processesWith } from '../attacks/host.ts';
import { fix, type Instant, journalFaults, killAndResume } from './kill-and-resume.ts';
import { writeCrashProject } from './project.ts';

/** Instants in all: half of them with a replay, half with the search. */
const instants = 20;
const strict = inject('holdsEveryLimit');

describe.each(['replay', 'search'] as const)(
  'a run of the %s proposer, killed at random instants',
  (kind) => {
    let folder: string;
    let reference: RepairResult;
    let instantOf: (index: number) => Instant;
    let job: { dir: string; model: string };

    beforeAll(async () => {
      folder = mkdtempSync(path.join(os.tmpdir(), `assay-crash-${kind}-`));
      job = writeCrashProject(folder, kind);
      const home = path.join(folder, 'reference');
      const whole = await fix({ ...job, home }, { strict });
      expect(whole.code, whole.stderr).toBe(0);
      reference = JSON.parse(whole.stdout) as RepairResult;
      const { events, gapMs } = paceOf(home, reference.run);
      // One in each equal slice of the events, so that no phase is left out by bad luck or a busy machine.
      instantOf = (index) => ({
        events: Math.floor((index / (instants / 2)) * events),
        ms: Math.random() * 2 * gapMs,
      });
    });

    afterAll(() => rmSync(folder, { recursive: true, force: true }));

    it(`goes on from wherever it was, ${instants / 2} times`, { timeout: 300_000 }, async () => {
      const cuts: string[] = [];
      for (let index = 0; index < instants / 2; index += 1) {
        const kill = instantOf(index);
        const when = `killed ${Math.round(kill.ms)} ms after event ${kill.events}`;
        const home = path.join(folder, `home-${index}`);
        mkdirSync(home);
        const recovered = await killAndResume({ ...job, home }, { strict, kill });
        cuts.push(recovered.kind === 'resumed' ? recovered.cutAt : recovered.kind);
        if (recovered.kind === 'not_started') continue;
        expect(journalFaults(recovered.events), when).toEqual([]);
        if (recovered.kind === 'ended_before') continue;
        const { status, patch, rounds, tests } = recovered.result;
        expect({ status, patch, rounds, tests }, when).toEqual({
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
      ).toBeGreaterThanOrEqual(5);
      // As the next run does it when it begins.
      sweep();
      expect(await eventually(() => processesWith(folder).length === 0), 'processes were left').toBe(true);
    });
  },
);

/** How many events a run had, and the mean time between two. */
function paceOf(home: string, id: string): { events: number; gapMs: number } {
  const run = openStore({ home }).open<RepairEvent>(id, { event: repairEventSchema });
  const times = run.events().map(({ time }) => Date.parse(time));
  run.close();
  const [first = 0, last = 0] = [times[0], times.at(-1)];
  return { events: times.length, gapMs: (last - first) / times.length };
}

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
