import { describe, expect, it } from 'vitest';
import type { Candidate } from '../../core/index.ts';
import type { ForkServer } from './fork-server.ts';
import { openPool } from './pool.ts';

const candidates = (count: number): Candidate[] =>
  Array.from({ length: count }, (_, index) => ({ id: `c${index}`, files: [] }));

/** A fork server that is lost on the candidates it is told to be lost on, as often as it is told. */
function fakeServers(losses: Record<string, number>) {
  let started = 0;
  let closed = 0;
  const start = async (): Promise<ForkServer> => {
    started += 1;
    return {
      judge: async ({ id }) => {
        await new Promise((resolve) => setTimeout(resolve, id === 'c0' ? 5 : 0));
        const left = losses[id] ?? 0;
        losses[id] = left - 1;
        return left > 0 ? null : { id, status: 'failed', testsPassed: 1, failedTest: 't', durationMs: 1 };
      },
      coverage: async () => ({ tests: [] }),
      close: async () => {
        closed += 1;
      },
    };
  };
  return { start, started: () => started, closed: () => closed };
}

const time = { limitMs: 100, startMs: 100, idleMs: 100 };
const signal = new AbortController().signal;

describe('openPool', () => {
  it('answers in order with as many servers as asked for', async () => {
    const servers = fakeServers({});
    const pool = openPool({ start: servers.start, size: 3, time });
    const results = await pool.judge(candidates(10), { signal });
    expect(results.map((each) => each.id)).toEqual(candidates(10).map((each) => each.id));
    expect(servers.started()).toBe(3);
    await pool.judge(candidates(10), { signal });
    expect(servers.started()).toBe(3);
    await pool.close();
    expect(servers.closed()).toBe(3);
  });

  it('replaces a lost server and tries its candidate once more', async () => {
    const servers = fakeServers({ c2: 1 });
    const pool = openPool({ start: servers.start, size: 1, time });
    const results = await pool.judge(candidates(4), { signal });
    expect(results.map((each) => each.status)).toEqual(['failed', 'failed', 'failed', 'failed']);
    expect(pool.restarts).toBe(1);
  });

  it('calls a candidate that loses two servers crashed, and goes on with the next', async () => {
    const servers = fakeServers({ c1: 9 });
    const pool = openPool({ start: servers.start, size: 1, time });
    const results = await pool.judge(candidates(3), { signal });
    expect(results.map((each) => each.status)).toEqual(['failed', 'crashed', 'failed']);
  });

  it('gives up when the servers are lost whatever they are given', async () => {
    const losses = Object.fromEntries(candidates(50).map(({ id }) => [id, 9]));
    const pool = openPool({ start: fakeServers(losses).start, size: 1, time });
    await expect(pool.judge(candidates(50), { signal })).rejects.toThrow('lost 12 times in a row');
  });

  it('stops at an abort', async () => {
    const servers = fakeServers({});
    const pool = openPool({ start: servers.start, size: 1, time });
    const abort = new AbortController();
    const judged: string[] = [];
    const judging = pool.judge(candidates(50), {
      signal: abort.signal,
      onResult: (result) => {
        judged.push(result.id);
        if (result.id === 'c3') abort.abort(new Error('enough'));
      },
    });
    await expect(judging).rejects.toThrow('enough');
    expect(judged).toHaveLength(4);
  });

  it('passes on that no server can be had', async () => {
    const pool = openPool({
      start: () => Promise.reject(new Error('no sandbox here')),
      size: 2,
      time,
    });
    await expect(pool.judge(candidates(3), { signal })).rejects.toThrow('no sandbox here');
  });
});
