import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { Calendar } from '../src/calendar.ts';

describe('a calendar', () => {
  let calendar: Calendar;

  beforeEach(() => {
    calendar = new Calendar('Ada');
    calendar.add('Planning', '13:00-14:30');
    calendar.add('Stand-up', '9:00-9:15');
  });

  it('shows its day in order', () => {
    assert.equal(calendar.agenda(), '09:00-09:15 Stand-up\n13:00-14:30 Planning');
  });

  it('forgets what is cancelled', () => {
    assert.equal(calendar.cancel('Planning'), true);
    assert.equal(calendar.cancel('Planning'), false);
    assert.equal(calendar.agenda(), '09:00-09:15 Stand-up');
  });

  it('names meetings that cannot both be attended', () => {
    calendar.add('Interview', '14:00-15:00');
    assert.deepEqual(calendar.conflicts(), ['Planning / Interview']);
  });
});
