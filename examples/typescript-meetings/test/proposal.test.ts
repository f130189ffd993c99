import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Calendar } from '../src/calendar.ts';
import { invitation } from '../src/proposal.ts';

function calendar(owner: string, ...meetings: string[]): Calendar {
  const made = new Calendar(owner);
  for (const when of meetings) made.add('Busy', when);
  return made;
}

describe('an invitation', () => {
  it('takes the first time that suits everybody', () => {
    const team = [calendar('Ada', '9:00-10:00'), calendar('Ben', '10:00-11:30')];
    assert.equal(invitation(team, { minutes: 45 }), 'Ada, Ben: 11:30-12:15 (45 minutes)');
  });

  it('waits for a workshop that others only look into', () => {
    const team = [calendar('Ada', '9:00-15:00'), calendar('Ben', '9:30-10:00'), calendar('Cem', '11:00-11:30')];
    assert.equal(invitation(team, { minutes: 60 }), 'Ada, Ben, Cem: 15:00-16:00 (60 minutes)');
  });

  it('keeps clear of lunch where it can', () => {
    const team = [calendar('Ada', '9:00-12:00'), calendar('Ben', '14:00-17:00')];
    const wishes = { minutes: 60, ratherNot: '12:00-13:00' };
    assert.equal(invitation(team, wishes), 'Ada, Ben: 13:00-14:00 (60 minutes)');
    assert.equal(invitation(team, { ...wishes, minutes: 90 }), 'Ada, Ben: 12:00-13:30 (90 minutes)');
  });

  it('says so when the day is full', () => {
    const team = [calendar('Ada', '9:00-17:00'), calendar('Ben', '12:00-13:00')];
    assert.equal(invitation(team, { minutes: 30 }), 'No time suits Ada, Ben for 30 minutes.');
  });
});
