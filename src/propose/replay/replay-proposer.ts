import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { AssayError, type Proposed } from '../../core/index.ts';
import type { Proposer } from '../types.ts';
import { maxRecordingBytes, parseRecording } from './recording.ts';

export type ReplayOptions = ({ file: string } | { replies: readonly Proposed[] }) & {
  /** Replies the run has had already, to be passed over: a resumed run goes on where it was. Default 0. */
  alreadyProposed?: number;
  /** Default: `replay`, or `replay:FILE`. */
  id?: string;
};

/**
 * Says again, in order, what a recording says, whatever the feedback; then `no_proposal`. The usage in each reply is
 * the recorded one, so that a budget ends the run where it ended the recorded one; nothing is paid for now.
 * @throws AssayError `usage` when the file cannot be read, `input` when it is no recording.
 */
export function replayProposer(options: ReplayOptions): Proposer {
  const replies = 'file' in options ? readRecording(options.file) : options.replies;
  let next = options.alreadyProposed ?? 0;
  return {
    id: options.id ?? ('file' in options ? `replay:${options.file}` : 'replay'),
    async propose() {
      const reply = replies[next];
      if (reply === undefined) return ranOut(replies.length);
      next += 1;
      return reply;
    },
  };
}

function ranOut(count: number): Proposed {
  return {
    kind: 'no_proposal',
    reason: count === 1 ? 'the one recorded reply is used up' : `all ${count} recorded replies are used up`,
    exhausted: null,
    usage: { tokens: 0, costUsd: 0, candidates: 0, wallMs: 0 },
  };
}

const readRecording = (file: string): Proposed[] =>
  parseRecording(readRecordingText(file), path.basename(file)).replies;

/**
 * The text of a recording of any kind.
 * @throws AssayError `usage` when the file cannot be read, `input` when it is too large for one.
 */
export function readRecordingText(file: string): string {
  let descriptor: number;
  try {
    // Non-blocking: opening a FIFO nobody writes to would wait for ever.
    descriptor = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    throw unreadable(file, error);
  }
  try {
    const stat = fstatSync(descriptor);
    if (!stat.isFile()) throw unreadable(file, new Error('it is not a regular file'));
    if (stat.size > maxRecordingBytes) {
      throw new AssayError({
        code: 'input',
        message: `${file} is too large for a recording`,
        because: `it has ${stat.size} bytes; at most ${maxRecordingBytes} are read`,
        fix: 'name the file that --record wrote',
      });
    }
    return readFileSync(descriptor, 'utf8');
  } finally {
    closeSync(descriptor);
  }
}

function unreadable(file: string, error: unknown): AssayError {
  return new AssayError({
    code: 'usage',
    message: `the recording ${file} cannot be read`,
    because: error instanceof Error ? error.message : String(error),
    fix: 'name an existing file: --model replay:FILE',
    cause: error,
  });
}
