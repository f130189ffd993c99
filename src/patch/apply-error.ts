import { AssayError } from '../core/index.ts';

/** `ENOENT` and its like; null for anything that is no error of the operating system. */
export function errnoOf(error: unknown): string | null {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return null;
  return /^E[A-Z0-9]+$/.test(error.code) ? error.code : null;
}

/** Words what the operating system said while a patch was written; everything else passes through. */
export function applyError(error: unknown, { root, state }: { root: string; state: string }): unknown {
  if (AssayError.is(error) || errnoOf(error) === null) return error;
  return new AssayError({
    code: 'environment',
    message: `The patch could not be written to ${root}; ${state}`,
    because: saidBy(error),
    fix:
      fixes[errnoOf(error) ?? ''] ??
      `Check the disk and the permissions of ${root}, then apply the patch again.`,
    cause: error,
  });
}

/** Without the path, which may be one of this process only (`/proc/self/fd/...`): e.g. `EACCES: permission denied`. */
export function saidBy(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return /^E[A-Z0-9]+: [^,]+/.exec(text)?.[0] ?? text;
}

const fixes: Record<string, string> = {
  ENOSPC: 'Free space on the disk, then apply the patch again.',
  EDQUOT: 'Free space in your quota, then apply the patch again.',
  EROFS: 'The file system is read-only: apply the patch to a copy that can be written.',
  EACCES: 'Give this user write permission in the folder, then apply the patch again.',
};
