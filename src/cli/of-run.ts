/** A failure that happened to a run: its folder exists and keeps what was done. `cause`: the failure itself. */
export class OfRun extends Error {
  readonly run: string;
  /** It was cut before its end. */
  readonly cut: boolean;

  constructor({ run, cut, cause }: { run: string; cut: boolean; cause: unknown }) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
    this.name = 'OfRun';
    this.run = run;
    this.cut = cut;
  }
}

/** Does something for a run; what it throws is told as of that run. */
export function inRun<T>(of: { run: string; cut: boolean }, work: () => T): T {
  try {
    return work();
  } catch (cause) {
    throw new OfRun({ ...of, cause });
  }
}
