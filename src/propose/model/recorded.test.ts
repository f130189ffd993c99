import { appendFile, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { AssayError } from '../../core/index.ts';
import { recordingModel, replayModel } from './recorded.ts';
import { callHash, requestHash } from './request-hash.ts';
import { type ScriptedModelReply, scriptedModel } from './scripted.ts';
import { failureIn, replyOf, request } from './scripted-server/ask.fixture.ts';
import type { ModelRequest } from './types.ts';

const signal = new AbortController().signal;
const asking = (text: string): ModelRequest => ({ ...request, messages: [{ role: 'user', text }] });

async function record(replies: ScriptedModelReply[], requests: ModelRequest[]): Promise<string> {
  const lines: string[] = [];
  const model = recordingModel({
    inner: scriptedModel({ replies, id: 'anthropic/claude' }),
    sink: async (line) => {
      lines.push(line);
    },
    secrets: [{ name: 'MY_KEY', value: 'my-very-own-secret' }],
    now: () => new Date('2026-11-30T12:00:00Z'),
    note: 'for a test',
  });
  for (const each of requests) await model.call(each, { signal });
  return lines.join('');
}

async function refused(text: string): Promise<AssayError> {
  try {
    await replayModel({ text });
  } catch (error) {
    if (AssayError.is(error)) return error;
    throw error;
  }
  throw new Error('it was taken');
}

describe('a recording', () => {
  it('says whose replies it holds, then has one line a call', async () => {
    const [header, first, second, ...rest] = (
      await record(['One.', { failure: { kind: 'overloaded' } }], [asking('1'), asking('2')])
    ).split('\n');
    expect(JSON.parse(header ?? '')).toEqual({
      schema: 'assay-model-replay/1',
      recorded: { by: 'anthropic/claude', at: '2026-11-30T12:00:00.000Z', note: 'for a test' },
    });
    expect(JSON.parse(first ?? '')).toMatchObject({
      request: requestHash(asking('1')),
      result: { ok: true },
    });
    expect(JSON.parse(second ?? '')).toMatchObject({
      result: { ok: false, failure: { kind: 'overloaded' } },
    });
    expect(rest).toEqual(['']);
  });

  it('holds no secret, and stays a recording', async () => {
    const token = `sk-ant-api03-${'a1'.repeat(20)}`;
    const call = { id: 'c', name: 'propose_patch', input: JSON.stringify({ key: 'my-very-own-secret' }) };
    const text = await record([{ text: `See ${token} "\n`, toolCalls: [call] }], [asking('1')]);
    expect(text).not.toContain('my-very-own-secret');
    expect(text).not.toContain(token);
    const reply = replyOf({ result: await (await replayModel({ text })).call(asking('1'), { signal }) });
    expect(reply.toolCalls[0]?.input).toBe('{"key":"[scrubbed:MY_KEY]"}');
  });

  it('gives the caller the reply as it came, and leaves out that the user stopped', async () => {
    const lines: string[] = [];
    const model = recordingModel({
      inner: scriptedModel({ replies: ['my-very-own-secret'] }),
      sink: async (line) => {
        lines.push(line);
      },
      secrets: [{ name: 'MY_KEY', value: 'my-very-own-secret' }],
    });
    expect(replyOf({ result: await model.call(request, { signal }) }).text).toBe('my-very-own-secret');
    expect(failureIn({ result: await model.call(request, { signal: AbortSignal.abort() }) }).kind).toBe(
      'aborted',
    );
    expect(lines).toHaveLength(2);
  });

  it('keeps its lines whole and its header first where calls end at once', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'assay-model-replay-'));
    const file = path.join(folder, 'calls.jsonl');
    const model = recordingModel({
      inner: scriptedModel({ replies: ['x'.repeat(10_000)], repeatLast: true }),
      sink: (line) => appendFile(file, line),
      secrets: [],
    });
    await Promise.all(Array.from({ length: 20 }, (_, at) => model.call(asking(String(at)), { signal })));
    const lines = (await readFile(file, 'utf8')).trimEnd().split('\n');
    expect(lines).toHaveLength(21);
    expect(JSON.parse(lines[0] ?? '').schema).toBe('assay-model-replay/1');
    const replay = await replayModel({ file });
    expect(replyOf({ result: await replay.call(asking('3'), { signal }) }).text).toHaveLength(10_000);
    await rm(folder, { recursive: true });
  });

  it('tells when it cannot be written', async () => {
    const model = recordingModel({
      inner: scriptedModel({ replies: ['x'] }),
      sink: () => Promise.reject(new Error('disk full')),
      secrets: [],
    });
    await expect(model.call(request, { signal })).rejects.toThrow('disk full');
  });
});

describe('a replay', () => {
  it('answers each request with its own reply, in whatever order', async () => {
    const requests = ['1', '2', '3'].map(asking);
    const replay = await replayModel({ text: await record(['One.', 'Two.', 'Three.'], requests) });
    expect(replay).toMatchObject({ id: 'anthropic/claude' });
    const texts: string[] = [];
    for (const at of ['3', '1', '2'])
      texts.push(replyOf({ result: await replay.call(asking(at), { signal }) }).text);
    expect(texts).toEqual(['Three.', 'One.', 'Two.']);
  });

  it('answers a request that was asked twice with both replies, in order', async () => {
    const replay = await replayModel({ text: await record(['One.', 'Two.'], [asking('1'), asking('1')]) });
    const ask = async () => replyOf({ result: await replay.call(asking('1'), { signal }) }).text;
    expect([await ask(), await ask()]).toEqual(['One.', 'Two.']);
  });

  it('answers an unknown request with the next reply, and says when there is none left', async () => {
    const replay = await replayModel({
      text: await record(['One.', { failure: { kind: 'refused' } }], [asking('1'), asking('2')]),
    });
    expect(replyOf({ result: await replay.call(asking('a'), { signal }) }).text).toBe('One.');
    expect(failureIn({ result: await replay.call(asking('b'), { signal }) }).kind).toBe('refused');
    const failure = failureIn({ result: await replay.call(asking('c'), { signal }) });
    expect(failure.kind).toBe('recording_over');
    expect(failure.message).toContain('has no more replies: all 2 were used');
    expect(failure.fix).toContain('--record');
  });

  it('says which reply was recorded for a request that says something else, and of others nothing', async () => {
    const at = (place: string, seconds: string) =>
      asking(`Round 1. 4 more patches can be tested. It failed at ${place}/shop.py after ${seconds} s`);
    const requests = [at('/home/a/work', '1.5'), asking('2')];
    const replay = await replayModel({ text: await record(['One.', 'Two.'], requests) });
    expect(await replay.call(at('/srv/b', '3'), { signal })).not.toHaveProperty('recordedForAnother');
    expect(await replay.call(asking('other'), { signal })).toMatchObject({ recordedForAnother: 2 });
  });

  it('says nothing of what differs in a recording from before that was kept', async () => {
    const text = (await record(['One.'], [asking('1')])).replace(/"gist":"[0-9a-f]+",/, '');
    expect(text).not.toContain('gist');
    const result = await (await replayModel({ text })).call(asking('other'), { signal });
    expect(replyOf({ result }).text).toBe('One.');
    expect(result).not.toHaveProperty('recordedForAnother');
  });

  it('goes on after what a run was given before, whatever its order, and counts all', async () => {
    const text = await record(['One.', 'Two.', 'Three.'], ['1', '2', '3'].map(asking));
    const hash = (asked: string) => callHash('anthropic/claude', requestHash(asking(asked)));
    const replay = await replayModel({ text, given: [hash('3'), hash('another')] });
    expect(replyOf({ result: await replay.call(asking('x'), { signal }) }).text).toBe('Two.');
    const failure = failureIn({ result: await replay.call(asking('y'), { signal }) });
    expect(failure.message).toContain('all 3 were used');
  });

  it('stops when it is told to, and takes nothing then', async () => {
    const replay = await replayModel({ text: await record(['One.'], [asking('1')]) });
    expect(failureIn({ result: await replay.call(asking('1'), { signal: AbortSignal.abort() }) }).kind).toBe(
      'aborted',
    );
    expect(replyOf({ result: await replay.call(asking('1'), { signal }) }).text).toBe('One.');
  });

  it('reads on where the recorder was killed in a line', async () => {
    const text = await record(['One.', 'Two.'], [asking('1'), asking('2')]);
    const replay = await replayModel({ text: text.slice(0, -40) });
    expect(replyOf({ result: await replay.call(asking('1'), { signal }) }).text).toBe('One.');
    expect(failureIn({ result: await replay.call(asking('2'), { signal }) }).message).toContain(
      'the one it has was used',
    );
  });

  it('refuses what is no recording, by its line', async () => {
    expect((await refused('')).message).toContain('Line 1');
    expect((await refused('{"schema":"assay-replay/1"}')).code).toBe('input');
    const good = await record(['One.'], [asking('1')]);
    expect((await refused(`${good}{"request":"x"}\n`)).message).toContain('Line 3');
    expect((await refused(`${good}nonsense\n{}\n`)).message).toContain('Line 3');
    await expect(replayModel({ file: '/nowhere/at/all' })).rejects.toMatchObject({ code: 'input' });
  });
});
