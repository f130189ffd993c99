import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { AssayError, type Proposed } from '../../core/index.ts';
import type { Feedback, ProposerTools } from '../types.ts';
import {
  formatHeader,
  formatReply,
  parseRecording,
  recordingProposer,
  replayProposer,
  scriptedProposer,
} from './index.ts';

const nothingSpent = { tokens: 0, costUsd: 0, candidates: 0, wallMs: 0 };

function proposal(search: string, replace: string): Proposed {
  return {
    kind: 'proposal',
    motivation: `${search} should read ${replace}`,
    edits: [{ op: 'replace', path: 'src/a.ts', search, replace }],
    alternatives: [],
    usage: nothingSpent,
  };
}

/** Replayed replies do not depend on what the proposer is told, so these tests need no real feedback. */
const feedback = { round: 1, roundsLeft: 4 } as Feedback;
const tools = {} as ProposerTools;

const folder = mkdtempSync(path.join(tmpdir(), 'assay-replay-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function errorOf(action: () => unknown): AssayError {
  try {
    action();
  } catch (error) {
    if (AssayError.is(error)) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
}

describe('replayProposer', () => {
  it('says the recorded replies in order and then has no proposal', async () => {
    const replies = [proposal('a', 'b'), proposal('b', 'c')];
    const replay = replayProposer({ replies });
    expect(await replay.propose(feedback, tools)).toEqual(replies[0]);
    expect(await replay.propose(feedback, tools)).toEqual(replies[1]);
    expect(await replay.propose(feedback, tools)).toMatchObject({
      kind: 'no_proposal',
      reason: 'all 2 recorded replies are used up',
    });
  });

  it('goes on in a resumed run after the replies it gave before', async () => {
    const replies = [proposal('a', 'b'), proposal('b', 'c')];
    const replay = replayProposer({ replies, alreadyProposed: 1 });
    expect(await replay.propose(feedback, tools)).toEqual(replies[1]);
  });

  it('reads a recording written as one pretty JSON object', async () => {
    const file = path.join(folder, 'pretty.json');
    const recording = {
      schema: 'assay-replay/1',
      recorded: { by: 'hand-written', note: 'for a test' },
      replies: [proposal('x', 'y')],
    };
    writeFileSync(file, JSON.stringify(recording, null, 2));
    expect(await replayProposer({ file }).propose(feedback, tools)).toEqual(proposal('x', 'y'));
  });

  it.each([
    ['a missing file', path.join(folder, 'absent'), 'usage'],
    ['a folder', folder, 'usage'],
  ])('refuses %s as %s', (_what, file, code) => {
    const error = errorOf(() => replayProposer({ file }));
    expect(error.code).toBe(code);
    expect(error.fix).toContain('replay:FILE');
  });

  it('does not wait for a FIFO that nobody writes to', () => {
    const file = path.join(folder, 'fifo');
    execFileSync('mkfifo', [file]);
    expect(errorOf(() => replayProposer({ file })).because).toContain('not a regular file');
  });

  it('refuses a file over the cap without reading it', () => {
    const file = path.join(folder, 'large');
    writeFileSync(file, '');
    truncateSync(file, 2 ** 40);
    expect(errorOf(() => replayProposer({ file })).code).toBe('input');
  });
});

describe('parseRecording', () => {
  const header = formatHeader({ by: 'hand-written' });

  it.each([
    ['an empty file', '', 'the file is empty'],
    ['prose', 'hello\n', 'line 1 is not JSON'],
    ['another schema', '{"schema":"assay-report/1"}', 'schema'],
    ['no label of what it is', '{"schema":"assay-replay/1","replies":[]}', 'recorded'],
    ['a reply of no known kind', `${header}{"kind":"guess"}\n`, 'line 2: kind'],
    [
      'a proposal without edits',
      `${header}${formatReply({ ...proposal('a', 'b'), edits: [] } as Proposed)}`,
      'edits',
    ],
    [
      'a broken line in the middle',
      `${header}{"kind":\n${formatReply(proposal('a', 'b'))}`,
      'line 2 is not JSON',
    ],
  ])('names what is wrong with %s', (_what, text, problem) => {
    const error = errorOf(() => parseRecording(text, 'r.jsonl'));
    expect(error).toMatchObject({ code: 'input', message: 'r.jsonl is not a recording of a proposer' });
    expect(error.because).toContain(problem);
  });

  it('drops a torn last line', () => {
    const whole = header + formatReply(proposal('a', 'b'));
    const torn = whole + formatReply(proposal('b', 'c')).slice(0, 40);
    expect(parseRecording(torn, 'r').replies).toEqual([proposal('a', 'b')]);
  });

  it('reads a recording of a proposer that never spoke', () => {
    expect(parseRecording(header, 'r')).toEqual({
      schema: 'assay-replay/1',
      recorded: { by: 'hand-written' },
      replies: [],
    });
  });

  it('survives any text: a recording or a typed error', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.json(),
          fc.json().map((json) => header + json),
        ),
        (text) => {
          try {
            parseRecording(text, 'r');
          } catch (error) {
            expect(AssayError.is(error) && error.code).toBe('input');
          }
        },
      ),
    );
  });
});

describe('recordingProposer', () => {
  it('makes what replayProposer says again, word for word', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(fc.string(), fc.string()), { maxLength: 5 }), async (texts) => {
        const file = path.join(folder, 'recorded.jsonl');
        writeFileSync(file, '');
        const replies = texts.map(([search, replace]) => proposal(search, replace));
        const recorder = recordingProposer({
          inner: scriptedProposer({ replies, id: 'search' }),
          sink: (line) => appendFileSync(file, line),
          clock: { now: () => new Date(0) },
        });
        const said: Proposed[] = [];
        for (let round = 0; round <= replies.length; round += 1)
          said.push(await recorder.propose(feedback, tools));

        const replay = replayProposer({ file });
        for (const reply of said) expect(await replay.propose(feedback, tools)).toEqual(reply);
        expect(recorder.id).toBe('search');
      }),
      { numRuns: 25 },
    );
  });

  it('projects what the recorded proposer projects', () => {
    const inner = { ...scriptedProposer({ replies: [] }), project: () => ({ tokens: 7 }) };
    expect(recordingProposer({ inner, sink: () => {} }).project?.(feedback)).toEqual({ tokens: 7 });
    expect(recordingProposer({ inner: scriptedProposer({ replies: [] }), sink: () => {} }).project).toBe(
      undefined,
    );
  });

  it('says who was recorded and when', async () => {
    const lines: string[] = [];
    const recorder = recordingProposer({
      inner: scriptedProposer({ replies: [proposal('a', 'b')], id: 'search' }),
      sink: (line) => void lines.push(line),
      clock: { now: () => new Date('2026-01-02T03:04:05Z') },
      note: 'nightly',
    });
    await recorder.propose(feedback, tools);
    expect(parseRecording(lines.join(''), 'r').recorded).toEqual({
      by: 'search',
      at: '2026-01-02T03:04:05.000Z',
      note: 'nightly',
    });
  });
});

describe('scriptedProposer', () => {
  it('answers from its script and keeps what it heard', async () => {
    const scripted = scriptedProposer({
      replies: [proposal('a', 'b'), ({ round }) => proposal('round', String(round))],
    });
    await scripted.propose(feedback, tools);
    const second = await scripted.propose({ ...feedback, round: 2 }, tools);
    expect(second).toEqual(proposal('round', '2'));
    expect(scripted.heard.map(({ round }) => round)).toEqual([1, 2]);
    expect(await scripted.propose(feedback, tools)).toMatchObject({ kind: 'no_proposal' });
  });
});
