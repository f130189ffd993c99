/**
 * Uids that no distribution hands out: 65536-99999 is left free by systemd's table of uids and lies below the usual
 * subordinate ranges. A container that maps only 65536 uids leaves the second choice.
 */
const candidates = [
  { first: 70_000, last: 70_999 },
  { first: 64_000, last: 64_999 },
];

export type SlotRange =
  | { kind: 'range'; first: number; last: number }
  /** Root of a user namespace that stands for an ordinary user outside: already unprivileged. */
  | { kind: 'fake-root'; outerUid: number }
  | { kind: 'none' };

/**
 * Which uids root can give to sandboxes.
 *
 * @param uidMap the text of /proc/self/uid_map: lines of "inside outside count"
 */
export function slotRange(uidMap: string): SlotRange {
  const mapped = uidMap
    .split('\n')
    .map((line) => line.trim().split(/\s+/).map(Number))
    .flatMap(([inside, outside, count]) =>
      inside === undefined || outside === undefined || count === undefined
        ? []
        : [{ inside, outside, count }],
    );
  const covers = (uid: number) => mapped.some(({ inside, count }) => uid >= inside && uid < inside + count);
  const range = candidates.find(({ first, last }) => covers(first) && covers(last));
  if (range !== undefined) return { kind: 'range', ...range };
  const root = mapped.find(({ inside, count }) => inside === 0 && count > 0);
  if (root !== undefined && root.outside !== 0) return { kind: 'fake-root', outerUid: root.outside };
  return { kind: 'none' };
}
