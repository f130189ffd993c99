import type { CellResult } from '../../core/index.ts';

/** A result with what came late of earlier cells. */
export function merge<Result extends Pick<CellResult, 'warnings' | 'updates'>>(
  result: Result,
  late: Pick<CellResult, 'late' | 'updates' | 'warnings'>,
): Result {
  const updates = [...(late.updates ?? []), ...(result.updates ?? [])];
  return {
    ...result,
    ...late,
    warnings: [...result.warnings, ...late.warnings],
    ...(updates.length === 0 ? {} : { updates }),
  };
}
