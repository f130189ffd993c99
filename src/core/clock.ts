/** Time as a port, so that tests can make it jump. Deadlines read `monotonicMs` only: a wall clock may be set back. */
export type Clock = {
  /** Milliseconds from an arbitrary start; never goes back. */
  monotonicMs: () => number;
  /** The date, for humans to read. */
  now: () => Date;
};
