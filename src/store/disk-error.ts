import { AssayError } from '../core/index.ts';

const full = new Set(['ENOSPC', 'EDQUOT', 'EFBIG']);
const forbidden = new Set(['EACCES', 'EPERM', 'EROFS', 'ENOTDIR']);
const unsupported = new Set(['ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK']);
const exhausted = new Set(['EMFILE', 'ENFILE']);

/** Turns what the operating system says of the run folder into an error the user can act on; bugs pass through. */
export function diskError(error: unknown, { doing, path }: { doing: string; path: string }): unknown {
  const code = errnoOf(error);
  if (code === null || AssayError.is(error)) return error;
  const fix = fixFor(code, path);
  if (fix === null) return error;
  return new AssayError({
    code: 'environment',
    message: `Could not ${doing} in ${path}`,
    because: error instanceof Error ? error.message : code,
    fix,
    cause: error,
  });
}

function fixFor(code: string, path: string): string | null {
  if (full.has(code)) {
    return `Free space on the disk that holds ${path} (\`assay runs prune\` removes old runs), or set ASSAY_HOME to a folder on another disk.`;
  }
  if (forbidden.has(code)) return 'Set ASSAY_HOME to a folder that this user can write to.';
  if (code === 'ENOENT')
    return `${path} is gone or cannot be made here: set ASSAY_HOME to a folder of yours.`;
  if (exhausted.has(code)) return 'Raise the limit of open files (ulimit -n) or run fewer things at once.';
  if (unsupported.has(code)) {
    return 'Set ASSAY_HOME to a folder on a local disk: this file system lacks hard links or synced writes.';
  }
  if (code === 'EIO') return `Check the disk that holds ${path}: it reports an input/output error.`;
  return null;
}

/** Runs a disk operation and words its failure. */
export function onDisk<T>(what: { doing: string; path: string }, operation: () => T): T {
  try {
    return operation();
  } catch (error) {
    throw diskError(error, what);
  }
}

/** The same for an operation that takes its time. */
export async function onDiskAsync<T>(
  what: { doing: string; path: string },
  operation: () => Promise<T>,
): Promise<T> {
  try {
    return await operation();
  } catch (error) {
    throw diskError(error, what);
  }
}

/** `ENOENT` and its like; null for anything that is no error of the operating system. */
export function errnoOf(error: unknown): string | null {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return null;
  return /^E[A-Z0-9]+$/.test(error.code) ? error.code : null;
}
