import { formatInterval, type Interval, overlap, parseInterval } from './time.ts';

export type Meeting = { title: string; when: Interval };

/** The meetings of one person on one day. */
export class Calendar {
  readonly owner: string;
  readonly #meetings: Meeting[] = [];

  constructor(owner: string) {
    this.owner = owner;
  }

  add(title: string, when: string): Meeting {
    const meeting = { title, when: parseInterval(when) };
    this.#meetings.push(meeting);
    this.#meetings.sort((a, b) => a.when.start - b.when.start);
    return meeting;
  }

  cancel(title: string): boolean {
    const index = this.#meetings.findIndex((meeting) => meeting.title === title);
    if (index === -1) return false;
    this.#meetings.splice(index, 1);
    return true;
  }

  /** Meetings that cannot both be attended, as `first / second`. */
  conflicts(): string[] {
    return this.#meetings.flatMap((meeting, index) =>
      this.#meetings
        .slice(index + 1)
        .filter((later) => overlap(meeting.when, later.when))
        .map((later) => `${meeting.title} / ${later.title}`),
    );
  }

  get busy(): Interval[] {
    return this.#meetings.map((meeting) => meeting.when);
  }

  agenda(): string {
    return this.#meetings.map(({ title, when }) => `${formatInterval(when)} ${title}`).join('\n');
  }
}
