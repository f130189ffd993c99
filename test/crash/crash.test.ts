import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { type RepairEvent, type RepairResult, repairEventSchema } from '../../src/core/index.ts';
import { foldRepair, type RepairState, resultOf } from '../../src/loop/index.ts';
import { sweep } from '../../src/sandbox/index.ts';
import { openStore } from '../../src/store/index.ts';
import { eventually, processesWith } from '../attacks/host.ts';
import {
  type FixJob,
  fix,
  instantIn,
  journalFaults,
  killAndResume,
  type Pace,
  paceOf,
} from './kill-and-resume.ts';
import { writeCrashProject } from './project.ts';
import { startCrashModel } from './scripted-model.ts';

/** Instants for each proposer: a replay, the search, a model, and one that fails at tools. */
const instants = 7;
const strict = inject('holdsEveryLimit');

describe.each(['replay', 'search', 'model', 'text_model'] as const)(
  'a run of the %s proposer, killed at random instants',
  (kind) => {
    let folder: string;
    let reference: RepairResult;
    let calledInReference = 0;
    let pace: Pace;
    let job: Omit<FixJob, 'home'>;
    let server: Awaited<ReturnType<typeof startCrashModel>>;

    beforeAll(async () => {
      folder = mkdtempSync(path.join(os.tmpdir(), `assay-crash-${kind}-`));
      server = await startCrashModel(kind);
      const asks = kind === 'model' || kind === 'text_model';
      const args = asks ? ['--base-url', server.url] : [];
      job = { ...writeCrashProject(folder, kind), args };
      const home = path.join(folder, 'reference');
      const whole = await fix({ ...job, home }, { strict });
      expect(whole.code, whole.stderr).toBe(0);
      reference = JSON.parse(whole.stdout) as RepairResult;
      const records = openStore({ home })
        .open<RepairEvent>(reference.run, { event: repairEventSchema })
        .events();
      pace = paceOf(records);
      calledInReference = calledIn(records.map(({ event }) => event));
      expect(calledInReference).toBe(asks ? 4 : 0);
    });

    afterAll(async () => {
      await server.close();
      rmSync(folder, { recursive: true, force: true });
    });

    it(`goes on from wherever it was, ${instants} times`, { timeout: 300_000 }, async () => {
      const cuts: string[] = [];
      for (let index = 0; index < instants; index += 1) {
        const kill = instantIn(pace, index, instants);
        const when = `killed ${Math.round(kill.ms)} ms after event ${kill.events}`;
        const home = path.join(folder, `home-${index}`);
        mkdirSync(home);
        let askedBefore = 0;
        const onCut = () => {
          askedBefore = server.requests.length;
        };
        const recovered = await killAndResume({ ...job, home }, { strict, kill, onCut });
        cuts.push(recovered.kind === 'resumed' ? recovered.cutAt : recovered.kind);
        if (recovered.kind === 'not_started') continue;
        expect(journalFaults(recovered.events), when).toEqual([]);
        if (recovered.kind === 'ended_before') continue;
        const { status, patch, rounds, tests, reason } = recovered.result;
        expect({ status, patch, rounds, tests }, `${when}: ${reason}`).toEqual({
          status: reference.status,
          patch: reference.patch,
          rounds: reference.rounds,
          tests: reference.tests,
        });
        expect(recovered.code).toBe(0);
        // What the journal tells is what the process that resumed had in mind.
        const { warnings: _, ...folded } = resultOf({
          ...recovered.result,
          state: foldAll(recovered.events),
        });
        expect(recovered.result, when).toMatchObject(folded);
        expect(recovered.result.usage.tokens, when).toBe(
          reference.usage.tokens + lostTokens(recovered.events),
        );
        // A reply that was journaled is given again, not asked for again.
        const calls = recovered.events.slice(recovered.kept).filter(({ type }) => type === 'model_called');
        expect(server.requests.length - askedBefore, when).toBe(calls.length);
        expect(calledIn(recovered.events), when).toBe(calledInReference);
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

const calledIn = (events: readonly RepairEvent[]) =>
  events.filter(({ type }) => type === 'model_called').length;

/** What calls that were cut in flight may have cost at most. */
const lostTokens = (events: readonly RepairEvent[]) =>
  events.reduce((sum, event) => sum + (event.type === 'resumed' ? (event.lost?.tokens ?? 0) : 0), 0);

function foldAll(events: readonly RepairEvent[]): RepairState {
  let state: RepairState | null = null;
  for (const event of events) state = foldRepair(state, event);
  if (state === null) throw new Error('the journal is empty');
  return state;
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
