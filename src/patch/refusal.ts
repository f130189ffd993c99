import type { Refusal } from '../core/index.ts';

export type RefusalCode = Refusal['code'];

/** A refusal in a sentence that names its path, and names it once. */
export const toldRefusal = ({ path, message }: Pick<Refusal, 'path' | 'message'>): string =>
  path === '' || message.includes(path) ? message : `${path}: ${message}`;

/**
 * A reason not to apply a proposal. `edit`: the index of the edit, null where it is about all; `near`: the nearest
 * real lines.
 */
export function refusal(
  code: RefusalCode,
  where: { path: string; edit: number | null; near?: Refusal['near'] },
  message: string,
): Refusal {
  return { code, path: where.path, edit: where.edit, message, near: where.near ?? [] };
}
