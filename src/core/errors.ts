const marker: unique symbol = Symbol.for('assay.error');

/** A failure the user can act on: what happened (`message`), why (`because`), what to do now (`fix`). */
export class AssayError extends Error {
  readonly code: ErrorCode;
  readonly because: string | undefined;
  readonly fix: string;
  // Survives two copies of the package in one process, where instanceof does not.
  readonly [marker] = true;

  constructor(options: { code: ErrorCode; message: string; because?: string; fix: string; cause?: unknown }) {
    super(options.message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'AssayError';
    this.code = options.code;
    this.because = options.because;
    this.fix = options.fix;
  }

  static is(value: unknown): value is AssayError {
    return typeof value === 'object' && value !== null && marker in value;
  }
}

/**
 * `usage`: the command line or a configuration is wrong · `environment`: the machine or the project lacks
 * something · `provider`: a model cannot be had now · `input`: a file or message is malformed or over its cap · `locked`: another process holds the run ·
 * `changed`: the user's files are not what they were at the start · `internal`: a bug in assay.
 */
export type ErrorCode = 'usage' | 'environment' | 'provider' | 'input' | 'locked' | 'changed' | 'internal';
