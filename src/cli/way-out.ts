import { AssayError } from '../core/index.ts';

/** What a configuration names may not be had here, by its author's key for one: the same error, and how to go without. */
export function withWayOut(error: unknown, options: { model: string; wayOut: string }): unknown {
  if (!AssayError.is(error) || error.code !== 'usage') return error;
  const { code, message, because, fix } = error;
  const why = `the configuration says model ${options.model}`;
  return new AssayError({
    code,
    message,
    because: because === undefined ? why : `${because}; ${why}`,
    fix: `${fix.replace(/\.$/, '')}; or ${options.wayOut}`,
    cause: error,
  });
}
