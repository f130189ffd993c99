import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { formatTime, overlap, parseInterval, parseTime } from '../src/time.ts';

describe('times of day', () => {
  it('are read and written', () => {
    assert.equal(parseTime('9:05'), 545);
    assert.equal(formatTime(545), '09:05');
    assert.equal(formatTime(parseTime('24:00')), '24:00');
  });

  it('outside of the day are refused', () => {
    for (const text of ['24:01', '7:60', 'noon', '']) assert.throws(() => parseTime(text), RangeError);
  });
});

describe('intervals', () => {
  it('must end after they start', () => {
    assert.throws(() => parseInterval('10:00-10:00'), /ends before it starts/);
  });

  it('that only touch do not overlap', () => {
    const morning = parseInterval('9:00-12:00');
    assert.equal(overlap(morning, parseInterval('12:00-13:00')), false);
    assert.equal(overlap(morning, parseInterval('11:59-13:00')), true);
  });
});
