import { createInterface } from 'node:readline';
import { AssayError } from '../core/index.ts';
import { acquireLock } from './lock.ts';

/** Tries for the lock of each folder it reads, says how that went, and keeps what it gets until it is killed. */
createInterface({ input: process.stdin }).on('line', (folder) => {
  try {
    acquireLock(folder);
    process.stdout.write('held\n');
  } catch (error) {
    if (!AssayError.is(error)) throw error;
    process.stdout.write(`${error.code}\n`);
  }
});
