import { freeSlots } from './availability.ts';
import type { Calendar } from './calendar.ts';
import { formatInterval, type Interval, length, type Minutes, parseInterval } from './time.ts';

export type Wishes = {
  /** How long the meeting is to be. */
  minutes: Minutes;
  /** Office hours. */
  between?: string;
  /** People would rather not meet then, but would. */
  ratherNot?: string;
};

/** The earliest time that suits everybody, outside of the unpopular hours where there is one; null where none does. */
export function propose(calendars: readonly Calendar[], wishes: Wishes): Interval | null {
  const day = parseInterval(wishes.between ?? '9:00-17:00');
  const busy = calendars.flatMap((calendar) => calendar.busy);
  const unpopular = wishes.ratherNot === undefined ? [] : [parseInterval(wishes.ratherNot)];
  const slot =
    freeSlots([...busy, ...unpopular], day, wishes.minutes)[0] ?? freeSlots(busy, day, wishes.minutes)[0];
  return slot === undefined ? null : { start: slot.start, end: slot.start + wishes.minutes };
}

/** One line for a chat message. */
export function invitation(calendars: readonly Calendar[], wishes: Wishes): string {
  const names = calendars.map(({ owner }) => owner).join(', ');
  const found = propose(calendars, wishes);
  if (found === null) return `No time suits ${names} for ${wishes.minutes} minutes.`;
  return `${names}: ${formatInterval(found)} (${length(found)} minutes)`;
}
