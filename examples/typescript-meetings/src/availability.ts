import { type Interval, length, type Minutes } from './time.ts';

/**
 * The gaps that busy intervals leave in a day, in order. The busy intervals may come from several calendars, in any
 * order. Gaps shorter than `atLeast` are of no use to anybody and left out.
 */
export function freeSlots(busy: readonly Interval[], day: Interval, atLeast: Minutes = 15): Interval[] {
  const slots: Interval[] = [];
  let freeFrom = day.start;
  for (const { start, end } of busy.toSorted((a, b) => a.start - b.start)) {
    if (start >= day.end) break;
    if (end <= day.start) continue;
    slots.push({ start: freeFrom, end: start });
    freeFrom = end;
  }
  slots.push({ start: freeFrom, end: day.end });
  return slots.filter((slot) => length(slot) >= atLeast);
}
