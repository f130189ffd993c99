import { randomInt } from 'node:crypto';

/** No vowels and nothing that is misread: an id spells no word and can be read aloud. */
const alphabet = '23456789bcdfghjkmnpqrstvwxz';

export const runIdPattern = /^[a-z][a-z0-9]{0,15}-\d{8}-\d{6}-[a-z0-9]{4}$/;

/** `fix-20261130-182233-k3f9`: kind, time in UTC, four random letters. */
export function makeRunId(kind: string, time: Date): string {
  const digits = time.toISOString().replaceAll(/[-:]/g, '');
  const suffix = Array.from({ length: 4 }, () => alphabet[randomInt(alphabet.length)]).join('');
  return `${kind}-${digits.slice(0, 8)}-${digits.slice(9, 15)}-${suffix}`;
}
