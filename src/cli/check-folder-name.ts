import { AssayError } from '../core/index.ts';

/**
 * Refuses an empty name, which a script gives whose variable is not set, and would be taken for the current folder.
 * @throws AssayError `usage`
 */
export function refuseEmptyName(given: string): void {
  if (given !== '') return;
  throw new AssayError({
    code: 'usage',
    message: 'The folder has an empty name',
    because: 'an empty argument was given, as by a variable that is not set',
    fix: 'name the folder of the project, or leave the argument out for the current one',
  });
}
