import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { freeSlots } from '../src/availability.ts';
import { formatInterval, parseInterval } from '../src/time.ts';

const day = parseInterval('9:00-17:00');

function slots(...busy: string[]): string[] {
  return freeSlots(busy.map(parseInterval), day).map(formatInterval);
}

describe('free slots', () => {
  it('of an empty day are the whole day', () => {
    assert.deepEqual(slots(), ['09:00-17:00']);
  });

  it('lie between the meetings', () => {
    assert.deepEqual(slots('13:00-14:00', '10:00-11:00'), ['09:00-10:00', '11:00-13:00', '14:00-17:00']);
  });

  it('do not need a gap between two meetings', () => {
    assert.deepEqual(slots('9:00-12:00', '12:00-17:00'), []);
  });

  it('leave out gaps too short to use', () => {
    assert.deepEqual(slots('9:10-12:00', '12:14-16:45'), ['16:45-17:00']);
  });

  it('start after the longer of two meetings at once', () => {
    assert.deepEqual(slots('9:00-12:00', '10:00-10:30'), ['12:00-17:00']);
  });
});
