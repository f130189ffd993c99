import { chmodSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, inject } from 'vitest';
import {
  type Edit,
  type Proposed,
  type RepairEvent,
  type RepairResult,
  type RepairSpec,
  type Report,
  repairEventSchema,
  reportSchema,
} from '../../src/core/index.ts';
import type { FrameworkId } from '../../src/lab/index.ts';
import { madeSpec, type RepairOptions, runRepair } from '../../src/loop/index.ts';
import { type Feedback, type ScriptedReply, scriptedProposer } from '../../src/propose/index.ts';
import { openStore, type Run } from '../../src/store/index.ts';
import { lay, type Victim, victims } from './victims.ts';

export type Attempt = {
  result: RepairResult;
  events: RepairEvent[];
  /** The whole reports of the patched runs, as the run folder keeps them: rounds and confirmations in order. */
  tested: Report[];
  heard: readonly Feedback[];
  run: Run<RepairEvent>;
  dir: string;
};

const made: string[] = [];
afterAll(() => {
  for (const folder of made) rmSync(folder, { recursive: true, force: true });
});

export function folder(name: string): string {
  const dir = mkdtempSync(path.join(realpathSync(os.tmpdir()), `assay-cheats-${name}-`));
  chmodSync(dir, 0o755);
  made.push(dir);
  return dir;
}

/** The victim in a new folder. */
export function laid(victim: Victim): string {
  const dir = folder('project');
  lay(dir, victim);
  return dir;
}

/** Runs the real repair loop on a victim, with the real lab and a proposer that says `replies`. */
export async function attempt(options: {
  framework: FrameworkId;
  replies: readonly ScriptedReply[];
  victim?: Victim;
  spec?: Partial<RepairSpec>;
  onEvent?: (event: RepairEvent, dir: string) => void;
  lab?: RepairOptions['lab'];
}): Promise<Attempt> {
  const { framework, replies, victim = victims[framework], onEvent } = options;
  const dir = laid(victim);
  const spec = madeSpec({
    dir,
    testCommand: victims[framework].command,
    limits: { rounds: 40, tokens: null, costUsd: null, wallMs: 600_000, candidates: null },
    strict: inject('holdsEveryLimit'),
    ...options.spec,
  });
  const store = openStore({ home: folder('home'), env: {} });
  const run = await store.create({ kind: 'fix', spec, event: repairEventSchema });
  const proposer = scriptedProposer({ replies });
  const { result } = await runRepair({
    run,
    spec,
    proposers: [proposer],
    signal: new AbortController().signal,
    ...(onEvent && { onEvent: (event) => onEvent(event, dir) }),
    ...(options.lab && { lab: options.lab }),
  });
  run.close();
  const events = run.events().map(({ event }) => event);
  return { result, events, tested: await testedIn(run, events), heard: proposer.heard, run, dir };
}

async function testedIn(run: Run<RepairEvent>, events: readonly RepairEvent[]): Promise<Report[]> {
  const names = events.flatMap((event) =>
    (event.type === 'tested' || event.type === 'confirmed') && event.artifact !== undefined
      ? [event.artifact]
      : [],
  );
  const texts = await Promise.all(names.map((name) => run.readArtifact(name)));
  return texts.map((text) => reportSchema.parse(JSON.parse(text.toString('utf8'))));
}

/** A proposal of these edits; `others`: its other patches, tried one after the other. */
export function proposal(edits: Edit[], others: readonly Edit[][] = []): Proposed {
  return {
    kind: 'proposal',
    motivation: 'make it green',
    edits,
    alternatives: others.map((other) => ({ motivation: 'make it green otherwise', edits: other })),
    usage: { tokens: 0, costUsd: 0, candidates: 0, wallMs: 0 },
  };
}

export const printed = (reports: readonly Report[]): string =>
  reports.map(({ output }) => output.stdout + output.stderr).join('\n');
