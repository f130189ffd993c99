import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { type RepairEvent, type RepairResult, repairEventSchema } from '../src/core/index.ts';
import { openStore } from '../src/store/index.ts';
import { kernelEnv } from '../test/cli/solve-replies.ts';
import {
  fix,
  instantIn,
  journalFaults,
  killAndResume,
  paceOf,
  type Recovered,
} from '../test/crash/kill-and-resume.ts';
import { killAndResumeSolve, startSolveJob } from '../test/crash/kill-solve.ts';
import { type CrashKind, writeCrashProject } from '../test/crash/project.ts';
import { startCrashModel } from '../test/crash/scripted-model.ts';
import type { Section } from './run.ts';

/** Kills by proposer; together the 100 of the issue. */
const kills = { replay: 25, search: 25, model: 25, text_model: 25 } as const satisfies Record<
  CrashKind,
  number
>;

/** Kills of an analysis; the 100 of its own issue. */
const solveKills = 100;

/** Runs killed with SIGKILL at random instants and resumed: how many find the same end with a clean journal. */
export async function bench(): Promise<Section> {
  const rows: string[] = [];
  for (const kind of ['replay', 'search', 'model', 'text_model'] as const) rows.push(await measure(kind));
  rows.push(await measureSolve());
  return {
    title: 'Crash: killed at random instants and resumed',
    lines: [
      '| run | kills | same end, clean journal | cut in the middle | before the first event | after the end | replies asked for twice |',
      '|---|---:|---:|---:|---:|---:|---:|',
      ...rows,
      '',
      'SIGKILL to the process a random time, up to twice the mean between two events, after one of its events, which are taken in turn over the whole run; then `assay resume`.',
      'The models are scripted servers over HTTP, that of `text_model` fails at tools first; a reply counts as asked for twice when it was in the journal before the kill.',
      'The analysis (`solve`) has a real kernel and must also come to the same files, turns, cells and notebook; a cell that was cut is run once more.',
    ],
  };
}

async function measure(kind: CrashKind): Promise<string> {
  const folder = mkdtempSync(path.join(os.tmpdir(), `assay-bench-crash-${kind}-`));
  const server = await startCrashModel(kind);
  try {
    const asks = kind === 'model' || kind === 'text_model';
    const args = asks ? ['--base-url', server.url] : [];
    const job = { ...writeCrashProject(folder, kind), args };
    const whole = await fix({ ...job, home: path.join(folder, 'reference') }, { strict: true });
    const reference = JSON.parse(whole.stdout) as RepairResult;
    const store = openStore({ home: path.join(folder, 'reference') });
    const pace = paceOf(store.open<RepairEvent>(reference.run, { event: repairEventSchema }).events());
    const counts = { good: 0, resumed: 0, not_started: 0, ended_before: 0, twice: 0 };
    for (let index = 0; index < kills[kind]; index += 1) {
      const home = path.join(folder, `home-${index}`);
      mkdirSync(home);
      let askedBefore = 0;
      const onCut = () => {
        askedBefore = server.requests.length;
      };
      const recovered = await killAndResume(
        { ...job, home },
        {
          strict: true,
          onCut,
          kill: instantIn(pace, index, kills[kind]),
        },
      );
      counts[recovered.kind] += 1;
      const clean = recovered.kind === 'not_started' || journalFaults(recovered.events).length === 0;
      const same =
        recovered.kind !== 'resumed' ||
        (recovered.result.status === reference.status && recovered.result.patch === reference.patch);
      counts.twice +=
        recovered.kind === 'resumed' ? askedTwice(recovered, server.requests.length - askedBefore) : 0;
      if (clean && same) counts.good += 1;
      else process.stderr.write(`${kind}: kill ${index} went wrong: ${JSON.stringify(recovered)}\n`);
    }
    return `| ${kind} | ${kills[kind]} | **${counts.good}** | ${counts.resumed} | ${counts.not_started} | ${counts.ended_before} | ${counts.twice} |`;
  } finally {
    await server.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function measureSolve(): Promise<string> {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'assay-bench-crash-solve-'));
  Object.assign(process.env, kernelEnv);
  const job = await startSolveJob({ folder, args: [] });
  try {
    const counts = { good: 0, resumed: 0, not_started: 0, ended_before: 0 };
    for (let index = 0; index < solveKills; index += 1) {
      const kill = instantIn(job.pace, index, solveKills);
      const home = path.join(folder, `home-${index}`);
      const recovered = await killAndResumeSolve(job, { home, kill });
      counts[recovered.kind] += 1;
      const same =
        recovered.kind !== 'resumed' ||
        (recovered.faults.length === 0 && isDeepStrictEqual(recovered.outcome, recovered.expected));
      if (same) counts.good += 1;
      else process.stderr.write(`solve: kill ${index} went wrong: ${JSON.stringify(recovered)}\n`);
      rmSync(home, { recursive: true, force: true });
    }
    return `| solve | ${solveKills} | **${counts.good}** | ${counts.resumed} | ${counts.not_started} | ${counts.ended_before} | |`;
  } finally {
    await job.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Requests after the resume that led to no new event: their replies were in the journal. */
const askedTwice = ({ events, kept }: Extract<Recovered, { kind: 'resumed' }>, asked: number): number =>
  asked - events.slice(kept).filter(({ type }) => type === 'model_called').length;
