import { createHash } from 'node:crypto';
import type { Failure, TestResult } from '../../core/index.ts';
import type { PartialFile } from '../types.ts';
import { type ChannelRecord, recordSchema } from './records.ts';

/** Everything that came over the private channel, sorted; nothing of it is believed yet. */
export type Received = {
  started: { framework: string; version: string; runtime: string } | null;
  /** What this run says it collected. `partial`: names read from the text of files that were not. */
  collected: { ids: string[]; skipped: string[]; xfailed: string[]; partial: PartialFile[] };
  /** The first record of each id, in order of arrival. */
  tests: TestResult[];
  duplicates: string[];
  canaries: { id: string; outcome: 'passed' | 'failed' | 'unbuilt' | 'not_needed'; detail: string }[];
  problems: (Failure & { file: string })[];
  notes: string[];
  byteCode: { file: string; data: string }[];
  /** The framework cannot run here at all. */
  unable: { detail: string; fix: string } | null;
  /** The closing record came, it came last, and its count and digest are right. */
  completed: boolean;
  /** The exit status the runner announced; null without a closing record. */
  announcedExit: number | null;
  /** What a well-behaved runner never sends. */
  irregularities: string[];
};

const maxIrregularities = 20;

/**
 * Reads the channel's bytes. Never throws: whatever the code under test wrote, it becomes an irregularity. A last
 * line without its newline is what a killed process leaves behind, and no irregularity before the closing record.
 */
export function readRecords(options: { bytes: Uint8Array; nonce: string }): Received {
  const received = empty();
  const seen = new Set<string>();
  const digest = createHash('sha256').update(options.nonce, 'latin1');
  let next = 0;
  for (const line of linesOf(options.bytes)) {
    if (received.completed) {
      note(received, 'a record came after the closing one');
      break;
    }
    if (!line.terminated) break;
    const record = parse(line.bytes);
    if (record === null) {
      note(received, `bytes that are no record: ${printable(line.bytes)}`);
      continue;
    }
    if (record.n !== options.nonce) {
      note(received, `a record without the nonce of this run: ${printable(line.bytes)}`);
      continue;
    }
    if (record.i !== next) {
      note(received, `record ${record.i} came where record ${next} was due`);
      continue;
    }
    if (next === 0 && record.t !== 'start') note(received, `the first record is ${record.t}, not start`);
    if (record.t === 'end') end(received, record, { count: next, digest: digest.copy().digest('hex') });
    else take(received, record, seen);
    digest.update(line.bytes).update('\n');
    next += 1;
  }
  return received;
}

function empty(): Received {
  return {
    started: null,
    collected: { ids: [], skipped: [], xfailed: [], partial: [] },
    tests: [],
    duplicates: [],
    canaries: [],
    problems: [],
    notes: [],
    byteCode: [],
    unable: null,
    completed: false,
    announcedExit: null,
    irregularities: [],
  };
}

function end(
  received: Received,
  record: Extract<ChannelRecord, { t: 'end' }>,
  own: { count: number; digest: string },
): void {
  if (record.count !== own.count || record.digest !== own.digest) {
    note(received, 'the closing record does not add up: records were lost, added or changed');
    return;
  }
  received.completed = true;
  received.announcedExit = record.exit;
}

function take(received: Received, record: Exclude<ChannelRecord, { t: 'end' }>, seen: Set<string>): void {
  switch (record.t) {
    case 'start':
      if (received.started !== null) note(received, 'the runner started twice');
      else {
        const { framework, version, runtime } = record;
        received.started = { framework, version, runtime };
      }
      return;
    case 'collected':
      if (record.file === null) received.collected.ids.push(...record.ids);
      else received.collected.partial.push({ file: record.file, ids: record.ids });
      received.collected.skipped.push(...record.skipped);
      received.collected.xfailed.push(...record.xfailed);
      return;
    case 'problem':
      received.problems.push({ ...record.problem, file: record.file });
      return;
    case 'test':
      if (seen.has(record.test.id)) received.duplicates.push(record.test.id);
      else {
        seen.add(record.test.id);
        received.tests.push(record.test);
      }
      return;
    case 'canary':
      received.canaries.push({ id: record.id, outcome: record.outcome, detail: record.detail });
      return;
    case 'irregular':
      note(received, record.text);
      return;
    case 'note':
      received.notes.push(record.text);
      return;
    case 'byte_code':
      received.byteCode.push({ file: record.file, data: record.data });
      return;
    case 'unable':
      received.unable = { detail: record.detail, fix: record.fix };
      return;
  }
}

function note(received: Received, text: string): void {
  if (received.irregularities.length < maxIrregularities) received.irregularities.push(text);
}

function* linesOf(bytes: Uint8Array): Generator<{ bytes: Uint8Array; terminated: boolean }> {
  let at = 0;
  while (at < bytes.length) {
    const newline = bytes.indexOf(10, at);
    const stop = newline === -1 ? bytes.length : newline;
    yield { bytes: bytes.subarray(at, stop), terminated: newline !== -1 };
    at = stop + 1;
  }
}

function parse(bytes: Uint8Array): ChannelRecord | null {
  try {
    const parsed = recordSchema.safeParse(JSON.parse(new TextDecoder().decode(bytes)));
    return parsed.success ? parsed.data : null;
  } catch {
    // Not JSON, or nested so deep that the parser gave up.
    return null;
  }
}

function printable(bytes: Uint8Array): string {
  return JSON.stringify(new TextDecoder().decode(bytes.subarray(0, 80)));
}
