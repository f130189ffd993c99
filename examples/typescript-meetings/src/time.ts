/** Minutes since midnight. */
export type Minutes = number;

/** From `start` up to, but not including, `end`. */
export type Interval = { start: Minutes; end: Minutes };

export function parseTime(text: string): Minutes {
  const match = /^(\d{1,2}):(\d{2})$/.exec(text);
  const hours = Number(match?.[1]);
  const minutes = Number(match?.[2]);
  if (match === null || hours > 24 || minutes > 59 || hours * 60 + minutes > 24 * 60) {
    throw new RangeError(`not a time of day: ${text}`);
  }
  return hours * 60 + minutes;
}

export function formatTime(minutes: Minutes): string {
  const hours = Math.floor(minutes / 60);
  return `${String(hours).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}`;
}

/** Reads `9:00-10:30`. */
export function parseInterval(text: string): Interval {
  const [from = '', to = ''] = text.split('-');
  const interval = { start: parseTime(from.trim()), end: parseTime(to.trim()) };
  if (interval.start >= interval.end) throw new RangeError(`${text} ends before it starts`);
  return interval;
}

export function formatInterval({ start, end }: Interval): string {
  return `${formatTime(start)}-${formatTime(end)}`;
}

export function length({ start, end }: Interval): Minutes {
  return end - start;
}

export function overlap(a: Interval, b: Interval): boolean {
  return a.start < b.end && b.start < a.end;
}
