import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { type RepairEvent, repairEventSchema } from '../core/index.ts';
import { scriptedProposer } from '../propose/index.ts';
import { openStore, type Run } from '../store/index.ts';
import { crashLab, crashReplies } from './crash.scene.ts';
import { killed } from './killed.fixture.ts';
import { repairFiles, repliesIn, resumeRepair } from './run-repair.ts';

const home = mkdtempSync(path.join(os.tmpdir(), 'assay-crash-'));
afterAll(() => rmSync(home, { recursive: true, force: true }));
const store = openStore({ home, env: {} });

const program = path.join(import.meta.dirname, 'crash.child.ts');

const goOn = (run: Run<RepairEvent>, before: readonly RepairEvent[]) =>
  resumeRepair({
    run,
    lab: crashLab({}),
    proposers: [scriptedProposer({ replies: crashReplies.slice(repliesIn(before)[0]) })],
    signal: new AbortController().signal,
  });

// A whole run takes some 250 ms, so that most of these instants are in the middle of one.
it.each(Array.from({ length: 20 }, (_, n) => n * 12))(
  'goes on to the same end after a SIGKILL %i ms into a run',
  async (afterMs) => {
    const run = store.open(await killed({ program, home, afterMs }), { event: repairEventSchema });
    const before = run.events().map(({ event }) => event);
    if (before.length === 0) {
      // Nothing was begun, so nothing can be taken up; the user is told to start anew.
      await expect(goOn(run, [])).rejects.toMatchObject({ code: 'input' });
      run.close();
      return;
    }
    const { result, end } = await goOn(run, before);
    run.close();
    const events = run.events().map(({ event }) => event);
    expect(end).toEqual({ status: 'done' });
    expect(result).toMatchObject({
      rounds: 3,
      confirmations: 1,
      holdout: { total: 1, passed: 1 },
      usage: { tokens: 30 },
    });
    expect(result.patch).toContain('+a = 10\n+b = 20\n+c = 30');
    expect(readFileSync(path.join(run.dir, repairFiles.patch), 'utf8')).toBe(result.patch);
    // What was there is there still, and each effect that was begun came to its end once.
    expect(events.slice(0, before.length)).toEqual(before);
    expect(events.filter(({ type }) => type === 'run_ended')).toHaveLength(1);
    expect(events.filter(({ type }) => type === 'tested')).toHaveLength(3);
    expect(repliesIn(events)).toEqual([3]);
  },
);
