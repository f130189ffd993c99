import { AssayError } from '../core/index.ts';
import { errnoOf } from './disk-error.ts';

const room = 'Free space where assay works: ASSAY_HOME (`assay runs prune` removes old runs) and TMPDIR.';
const files = 'Raise the limit of open files (ulimit -n) or run fewer things at once.';

const causes: Readonly<Record<string, { message: string; fix: string }>> = {
  ENOSPC: { message: 'The disk is full', fix: room },
  EDQUOT: { message: 'The quota of the disk is used up', fix: room },
  EFBIG: { message: 'A file has grown over the limit', fix: 'Raise the limit of file sizes (ulimit -f).' },
  EROFS: {
    message: 'The file system is read-only',
    fix: 'Set ASSAY_HOME and TMPDIR to folders that can be written.',
  },
  EIO: { message: 'A disk reports an input/output error', fix: 'Check the disks of this machine.' },
  EMFILE: { message: 'Too many files are open', fix: files },
  ENFILE: { message: 'Too many files are open on this machine', fix: files },
  ENOMEM: {
    message: 'There is no memory left',
    fix: 'End what else runs on this machine, or use a larger one.',
  },
};

/**
 * What the machine lacks and no code of assay is to blame for, wherever it comes up; null for every other error.
 */
export function machineError(error: unknown): AssayError | null {
  const cause = causes[errnoOf(error) ?? ''];
  if (cause === undefined || !(error instanceof Error)) return null;
  return new AssayError({ code: 'environment', ...cause, because: error.message, cause: error });
}
