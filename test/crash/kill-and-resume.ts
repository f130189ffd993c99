import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type RepairEvent, type RepairResult, repairEventSchema } from '../../src/core/index.ts';
import { type JournalRecord, openStore } from '../../src/store/index.ts';

const main = path.resolve(import.meta.dirname, '../../src/cli/main.ts');

export type FixJob = { dir: string; model: string; home: string; args?: readonly string[] };
export type Finished = { code: number | null; stdout: string; stderr: string };

/** `ms` milliseconds after the command has printed its `events`-th event (0: after its start). */
export type Instant = { events: number; ms: number };

/** How many events a run had, and the mean time between two of them. */
export type Pace = { events: number; gapMs: number };

export function paceOf(records: readonly JournalRecord<unknown>[]): Pace {
  const [first = 0, last = 0] = [records[0], records.at(-1)].map((record) => Date.parse(record?.time ?? ''));
  return { events: records.length, gapMs: (last - first) / records.length };
}

/**
 * A random instant in the `index`-th of `count` equal slices of a run's events, so that no phase is left out by bad luck
 * or a busy machine.
 */
export const instantIn = ({ events, gapMs }: Pace, index: number, count: number): Instant => ({
  events: Math.floor((index / count) * events),
  ms: Math.random() * 2 * gapMs,
});

/** Runs the real command line in a process of its own; `kill`: SIGKILL to that process alone, at that instant. */
export async function assay(args: string[], options: { home: string; kill?: Instant }): Promise<Finished> {
  const child = spawn(process.execPath, [main, ...args], {
    env: { ...process.env, ASSAY_HOME: options.home },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [stdout, stderr] = ['', ''];
  const { kill } = options;
  const reached = Promise.withResolvers<void>();
  const look = () => {
    if (kill !== undefined && stdout.split('\n').length > kill.events) reached.resolve();
  };
  look();
  child.stdout.on('data', (chunk) => {
    stdout += String(chunk);
    look();
  });
  child.stderr.on('data', (chunk) => {
    stderr += String(chunk);
  });
  const closed = once(child, 'close') as Promise<[number | null]>;
  if (kill !== undefined) {
    await Promise.race([reached.promise.then(() => sleep(kill.ms)), closed]);
    child.kill('SIGKILL');
  }
  const [code] = await closed;
  return { code, stdout, stderr };
}

/** A whole run prints its result; one that is to be killed prints its events. */
export const fix = (job: FixJob, options: { strict: boolean; kill?: Instant }) => {
  const output = options.kill === undefined ? '--json' : '--events';
  const relaxed = options.strict ? [] : ['--no-strict'];
  const args = ['fix', job.dir, '--model', job.model, output, ...relaxed, ...(job.args ?? [])];
  return assay(args, { home: job.home, ...options });
};

export type Recovered =
  /** Killed before there was a run folder, or before its first event: nothing was lost, there is nothing to resume. */
  | { kind: 'not_started' }
  /** The run ended before the kill came. */
  | { kind: 'ended_before'; events: RepairEvent[] }
  | {
      kind: 'resumed';
      result: RepairResult;
      code: number | null;
      events: RepairEvent[];
      /** How many of the events were there before the kill. */
      kept: number;
      cutAt: string;
    };

/** Kills a run at an instant, looks at what is left, resumes it to its end. */
export async function killAndResume(
  job: FixJob,
  options: { strict: boolean; kill: Instant; onCut?: () => void },
): Promise<Recovered> {
  const cut = await fix(job, options);
  // A run that ends by itself before it begins was not killed: whatever ended it is not what is asked about here.
  if (cut.code !== null && cut.code !== 0) throw new Error(`the run failed by itself: ${cut.stderr}`);
  const store = openStore({ home: job.home });
  const [run] = store.list();
  if (run === undefined) return { kind: 'not_started' };
  const read = () => {
    const records = store.open<RepairEvent>(run.id, { event: repairEventSchema }).events();
    if (records.some(({ seq }, index) => seq !== index + 1)) throw new Error('the journal has a gap');
    return records.map(({ event }) => event);
  };
  const before = read();
  if (before.length === 0) return { kind: 'not_started' };
  if (before.at(-1)?.type === 'run_ended') return { kind: 'ended_before', events: before };
  options.onCut?.();
  const resumed = await assay(['resume', run.id, '--json'], { home: job.home });
  if (resumed.stdout.trim() === '') throw new Error(`resume said nothing: ${resumed.stderr}`);
  const events = read();
  const kept = events.slice(0, before.length);
  if (JSON.stringify(kept) !== JSON.stringify(before)) throw new Error('resuming rewrote what was journaled');
  return {
    kind: 'resumed',
    result: JSON.parse(resumed.stdout) as RepairResult,
    code: resumed.code,
    events,
    kept: before.length,
    cutAt: before.at(-1)?.type ?? '',
  };
}

/**
 * What is wrong with a finished journal: an effect that left its mark twice or never, more than one end, something
 * after the end. Empty for a good one.
 */
export function journalFaults(events: readonly RepairEvent[]): string[] {
  const faults = endFaults(events);
  const outcomes = new Map<string, number>();
  for (const event of events) {
    const key = outcomeKey(event);
    if (key !== null) outcomes.set(key, (outcomes.get(key) ?? 0) + 1);
  }
  for (const [key, count] of outcomes) if (count !== 1) faults.push(`${key} came ${count} times`);
  const attempts = new Map<number, number>();
  for (const event of events) {
    if (event.type !== 'effect_started') continue;
    const expected = (attempts.get(event.id) ?? 0) + 1;
    if (event.attempt !== expected)
      faults.push(`effect ${event.id}: attempt ${event.attempt} after ${expected - 1}`);
    attempts.set(event.id, event.attempt);
  }
  const ids = [...attempts.keys()];
  if (ids.some((id, index) => id !== (ids[0] ?? 0) + index)) faults.push(`effect ids are ${ids.join(', ')}`);
  return faults;
}

/** What is wrong with how a finished journal ends: there is one end, and nothing after it. */
export function endFaults(events: readonly { type: string }[]): string[] {
  const ends = events.filter(({ type }) => type === 'run_ended').length;
  const last = events.at(-1)?.type;
  return ends === 1 && last === 'run_ended' ? [] : [`${ends} ends, last ${last}`];
}

/** Events that settle an effect come once each. */
function outcomeKey(event: RepairEvent): string | null {
  switch (event.type) {
    case 'baseline_tested':
      return `baseline again=${event.again}`;
    case 'proposed':
      // Replies that are no patch cost no round: several may come in one.
      return event.proposed.kind === 'malformed' ? null : `proposed in round ${event.round}`;
    case 'applied':
    case 'confirmed':
      return `${event.type} in round ${event.round}`;
    case 'tested':
      return `tested in round ${event.round} again=${event.again}`;
    default:
      return null;
  }
}
