/** A failure that happened to a run: its folder exists and keeps what was done. `cause`: the failure itself. */
export class OfRun extends Error {
  readonly run: string;

  constructor(run: string, cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
    this.name = 'OfRun';
    this.run = run;
  }
}
