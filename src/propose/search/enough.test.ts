import { describe, expect, it } from 'vitest';
import { passingOf, roomLeft } from './enough.ts';
import type { Judged, JudgeState } from './judge.ts';

const limits = { passing: 3, extra: { min: 10, max: 100, minMs: 1000, maxMs: 4000 } };

function state(over: { passing?: number[]; hung?: number[]; generated?: number; ms?: number }) {
  const judged = (place: number): Judged<string> => ({
    place,
    trial: { path: 'a.py', content: '', origin: `${place}` },
    result: { id: `${place}`, status: 'passed', testsPassed: 1, failedTest: null, durationMs: 1 },
  });
  const { passing = [], hung = [], generated = 0, ms = 500 } = over;
  const made: JudgeState<string> = {
    generated,
    passing: passing.map(judged),
    partial: [],
    hung,
    firstPassMs: passing.length === 0 ? null : ms,
  };
  return made;
}

describe('roomLeft', () => {
  it('has no end while nothing passes', () => {
    expect(roomLeft(state({ generated: 5000 }), limits, 60_000)).toBe(Number.POSITIVE_INFINITY);
  });

  it('goes on for as many candidates again as the first passing one took, within bounds', () => {
    expect(roomLeft(state({ passing: [4], generated: 5 }), limits, 600)).toBe(10);
    expect(roomLeft(state({ passing: [49], generated: 60 }), limits, 600)).toBe(40);
    expect(roomLeft(state({ passing: [499], generated: 500 }), limits, 600)).toBe(100);
    expect(roomLeft(state({ passing: [4], generated: 16 }), limits, 600)).toBe(0);
  });

  it('ends when enough pass', () => {
    expect(roomLeft(state({ passing: [49, 50, 51], generated: 52 }), limits, 600)).toBe(0);
  });

  it('counts a candidate that hangs as many, wherever after the first one it hung', () => {
    expect(roomLeft(state({ passing: [49], hung: [60, 61], generated: 62 }), limits, 600)).toBe(0);
    expect(roomLeft(state({ passing: [99], hung: [10, 105], generated: 107 }), limits, 600)).toBe(44);
  });

  it('has a net of time', () => {
    expect(roomLeft(state({ passing: [49], generated: 60, ms: 500 }), limits, 1499)).toBe(40);
    expect(roomLeft(state({ passing: [49], generated: 60, ms: 500 }), limits, 1500)).toBe(0);
    expect(roomLeft(state({ passing: [49], generated: 60, ms: 90_000 }), limits, 94_000)).toBe(0);
  });
});

describe('passingOf', () => {
  it('leaves out what the last batch found beyond the end', () => {
    const places = (made: JudgeState<string>) => passingOf(made, limits).map(({ place }) => place);
    expect(places(state({ passing: [4, 14, 15], generated: 64 }))).toEqual([4, 14]);
    expect(places(state({ passing: [4, 5, 6, 7], generated: 64 }))).toEqual([4, 5, 6]);
    expect(places(state({ passing: [4, 12], hung: [8], generated: 64 }))).toEqual([4]);
    expect(places(state({}))).toEqual([]);
  });
});
