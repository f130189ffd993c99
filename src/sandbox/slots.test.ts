import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { claimSlot, SlotPool, sweepSlots } from './slots.ts';

let folder: string;
let names = 0;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'assay-slots-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const newName = () => `alive-${names++}`;
const isAlive = (name: string) => name.startsWith('alive');
const claim = (last = 102) => claimSlot({ folder, first: 100, last, newName, isAlive });

describe('SlotPool', () => {
  it('uses its uids again, and others can have them once it is closed', () => {
    const pool = new SlotPool({ claim });
    const first = pool.take();
    const second = pool.take();
    expect(first?.uid).not.toBe(second?.uid);
    first?.release();
    expect(pool.take()?.uid).toBe(first?.uid);
    second?.release();
    expect(readdirSync(folder)).toHaveLength(2);
    pool.close();
    expect(readdirSync(folder)).toHaveLength(1);
  });

  it('has none where all are taken', () => {
    const pool = new SlotPool({ claim: () => claim(100) });
    expect([pool.take()?.uid, pool.take()]).toEqual([100, null]);
  });
});

describe('claimSlot', () => {
  it('never gives a uid twice, and none when all are taken', () => {
    const uids = [claim()?.uid, claim()?.uid, claim()?.uid];
    expect([...uids].sort()).toEqual([100, 101, 102]);
    expect(claim()).toBeNull();
  });

  it('gives a released uid again', () => {
    const slots = [claim(), claim(), claim()];
    slots[1]?.release();
    expect(claim()?.uid).toBe(slots[1]?.uid);
  });

  it('takes over from the dead and leaves no claim when released', () => {
    for (const uid of [100, 101, 102]) writeFileSync(join(folder, `${uid}.dead-${uid}`), '');
    const slot = claim();
    expect(slot).not.toBeNull();
    slot?.release();
    expect(sweepSlots({ folder, isAlive })).toHaveLength(3);
    expect(readdirSync(folder)).toEqual([]);
  });

  it('steps back where another claim turns up beside its own', () => {
    // The other runner looked at the folder at the same moment and saw it empty too.
    const slot = claimSlot({
      folder,
      first: 100,
      last: 101,
      newName: () => {
        const name = newName();
        const uid = readdirSync(folder).length === 0 ? [100, 101] : [];
        for (const each of uid) writeFileSync(join(folder, `${each}.alive-rival-${each}`), '');
        return name;
      },
      isAlive,
    });
    expect(slot).toBeNull();
    expect(readdirSync(folder).every((name) => name.includes('rival'))).toBe(true);
  });

  it('is never shared by processes that claim at once', async () => {
    const children = Array.from({ length: 4 }, () => claimer());
    const held = new Map<number, ChildProcess>();
    const clashes: number[] = [];
    let claims = 0;
    for (const child of children) {
      child.on('message', ([kind, uid]: ['claimed' | 'releasing', number]) => {
        // The answer lets the child go on, so what is in `held` is held at this moment.
        if (kind === 'claimed') {
          claims++;
          if (held.has(uid)) clashes.push(uid);
          held.set(uid, child);
        } else {
          held.delete(uid);
        }
        child.send('go on');
      });
    }
    await Promise.all(children.map((child) => once(child, 'exit')));
    expect(clashes).toEqual([]);
    expect(claims).toBeGreaterThan(200);
  });
});

function claimer(): ChildProcess {
  const code = `
    import { once } from 'node:events';
    import { claimSlot } from ${JSON.stringify(join(import.meta.dirname, 'slots.ts'))};
    let serial = 0;
    const options = { folder: ${JSON.stringify(folder)}, first: 1, last: 4, newName: () => process.pid + '-' + serial++, isAlive: () => true };
    for (let turn = 0; turn < 100; turn++) {
      const slot = claimSlot(options);
      if (slot === null) continue;
      process.send(['claimed', slot.uid]);
      await once(process, 'message');
      process.send(['releasing', slot.uid]);
      await once(process, 'message');
      slot.release();
    }
    process.disconnect();`;
  return fork('-', [], {
    execArgv: ['--input-type=module', '-e', code],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
}
