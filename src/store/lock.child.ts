import { AssayError } from '../core/index.ts';
import { acquireLock } from './lock.ts';

/** Tries for the lock of the folder in argv, says how that went, and lives until it is killed. */
try {
  acquireLock(process.argv[2] ?? '');
  process.stdout.write('held\n');
} catch (error) {
  if (!AssayError.is(error)) throw error;
  process.stdout.write(`${error.code}\n`);
}
process.stdin.resume();
