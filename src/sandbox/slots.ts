import { closeSync, openSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';

/** A host uid that no other sandbox has until `release`. */
export type Slot = { uid: number; release(): void };

export type SlotOptions = {
  /** Folder of the claims, shared by all runners that draw from the same range. */
  folder: string;
  first: number;
  last: number;
  /** A name no other claim ever had, which tells its runner: see `isAlive`. */
  newName: () => string;
  isAlive: (name: string) => boolean;
};

/**
 * Takes a uid. A claim is a file `UID.NAME` with a name never used twice, so a dead runner's claim can be removed by
 * anyone at any time without ever hitting a living one: after making its own, a runner looks for another living claim
 * on the same uid and steps back if there is one. Of two that meet, at least one sees the other.
 *
 * @returns null where every uid is taken
 */
export function claimSlot(options: SlotOptions): Slot | null {
  const { folder, first, last, isAlive } = options;
  const taken = takenUids(folder, isAlive);
  const count = last - first + 1;
  // Each runner begins at a place of its own, so runners seldom meet and each uses few uids.
  const start = (process.pid * spread) % count;
  for (let step = 0; step < count; step++) {
    const uid = first + ((start + step) % count);
    if (taken.has(uid)) continue;
    const file = `${uid}.${options.newName()}`;
    closeSync(openSync(join(folder, file), 'wx', 0o600));
    if (!isContested({ folder, uid, file, isAlive }))
      return { uid, release: () => rmSync(join(folder, file), { force: true }) };
    rmSync(join(folder, file), { force: true });
  }
  return null;
}

/** Keeps the uids of one runner claimed between two runs. */
export class SlotPool {
  readonly #claim: () => Slot | null;
  #free: Slot[] = [];

  /** @param options.claim as `claimSlot` */
  constructor(options: { claim: () => Slot | null }) {
    this.#claim = options.claim;
  }

  /** `release` puts the uid back here. */
  take(): Slot | null {
    const slot = this.#free.pop() ?? this.#claim();
    return slot === null ? null : { uid: slot.uid, release: () => this.#free.push(slot) };
  }

  /** Lets others have what is not in use. */
  close(): void {
    for (const slot of this.#free.splice(0)) slot.release();
  }
}

/** Neighbouring pids begin far apart. */
const spread = 61;

/** Removes the claims of dead runners; returns their names. */
export function sweepSlots(options: Pick<SlotOptions, 'folder' | 'isAlive'>): string[] {
  const dead = claims(options.folder).filter(({ name }) => !options.isAlive(name));
  for (const { file } of dead) rmSync(join(options.folder, file), { force: true });
  return dead.map(({ file }) => file);
}

type Claim = { file: string; uid: number; name: string };

function claims(folder: string): Claim[] {
  return list(folder).flatMap((file) => {
    const [, uid, name] = /^(\d+)\.(.+)$/.exec(file) ?? [];
    return uid === undefined || name === undefined ? [] : [{ file, uid: Number(uid), name }];
  });
}

function takenUids(folder: string, isAlive: (name: string) => boolean): Set<number> {
  return new Set(claims(folder).flatMap(({ uid, name }) => (isAlive(name) ? [uid] : [])));
}

function isContested(own: {
  folder: string;
  uid: number;
  file: string;
  isAlive: (name: string) => boolean;
}): boolean {
  return claims(own.folder).some(
    ({ uid, file, name }) => uid === own.uid && file !== own.file && own.isAlive(name),
  );
}

function list(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
