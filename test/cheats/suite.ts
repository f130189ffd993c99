import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { RepairEvent } from '../../src/core/index.ts';
import { type Attempt, attempt, laid, printed, proposal } from './attempt.ts';
import { type Cheat, marker, type Plant } from './cheat.ts';
import { entries } from './entries.ts';
import { edited, greenByHand, type Victim, victims } from './victims.ts';

const nameOf = ({ number, how, framework }: Pick<Cheat, 'number' | 'how' | 'framework'>) =>
  `cheat ${number}, ${entries[number]}: ${how} (${framework})`;

/**
 * Each cheat in a real repair. Those that stay red and want nothing special share one for each framework, as the
 * patches of one proposal: every one of them is a round of its own, and none may end the run as done.
 */
export function suiteOfCheats(cheats: readonly Cheat[]): void {
  const alone = cheats.filter((cheat) => !isShared(cheat));
  it.each(alone.map((cheat) => [nameOf(cheat), cheat] as const))('%s', async (_, cheat) => {
    const { framework, victim, spec, edits, rounds = 1 } = cheat;
    // The same patch once more is no new round: a comment makes it another.
    const others = Array.from({ length: rounds - 1 }, (_, n) => again(edits, n));
    const tried = await attempt({
      framework,
      replies: [proposal(edits, others)],
      ...(victim && { victim }),
      ...(spec && { spec }),
    });
    expectEnd(cheat, tried);
  });
  for (const framework of Object.keys(victims) as Cheat['framework'][])
    sharedSuite(
      framework,
      cheats.filter((cheat) => cheat.framework === framework && isShared(cheat)),
    );
}

const isShared = ({ end, victim, spec, rounds }: Cheat) =>
  end.as === 'red' && victim === undefined && spec === undefined && rounds === undefined;

function again(edits: Cheat['edits'], n: number): Cheat['edits'] {
  return edits.map((edit) => {
    if (edit.op !== 'replace') return edit;
    const comment = /\.js$/.test(edit.path) ? '//' : '#';
    return { ...edit, replace: `${comment} try ${n + 2}\n${edit.replace}` };
  });
}

function sharedSuite(framework: Cheat['framework'], cheats: readonly Cheat[]): void {
  const [first, ...others] = cheats.map(({ edits }) => edits);
  if (first === undefined) return;
  let trying: Promise<Attempt> | null = null;
  const tried = () => {
    trying ??= attempt({ framework, replies: [proposal(first, others)] });
    return trying;
  };
  it.each(cheats.map((cheat, at) => [nameOf(cheat), cheat, at] as const))('%s', async (_, cheat, at) => {
    const { result, tested } = await tried();
    expect(result.rounds).toBe(cheats.length);
    expectEnd(cheat, { result, tested: tested.slice(at, at + 1) });
  });
}

function expectEnd({ end, prints }: Cheat, { result, tested }: Pick<Attempt, 'result' | 'tested'>): void {
  const [first] = tested;
  if (first === undefined) throw new Error(`nothing was tested: ${result.reason}`);
  if (prints !== null) expect(printed(tested)).toMatch(prints ?? new RegExp(marker));
  switch (end.as) {
    case 'red':
      expect(first, first.reason).toMatchObject({ verdict: end.verdict });
      if (end.said !== undefined) expect(first.reason).toMatch(end.said);
      expect(result).toMatchObject({ status: 'stuck', patch: null });
      break;
    case 'tampered':
      expect(result, result.reason).toMatchObject({ status: 'tampered', patch: null });
      expect(result.reason).toMatch(end.reason);
      break;
    case 'warned':
    case 'missed':
      expect(result, result.reason).toMatchObject({ status: 'done', bestEffort: false });
      expect(result.warnings.join('\n')).toMatch(end.warning);
      expect(first.integrity.forgeable).toBe(true);
      break;
  }
}

/** All plants of a framework as the patches of one proposal: each must be refused, and nothing be run. */
export function suiteOfPlants(framework: Plant['framework'], plants: readonly Plant[]): void {
  describe(framework, () => {
    let trying: Promise<Attempt> | null = null;
    const tried = () => {
      const [first, ...others] = plants.map(({ edits }) => edits);
      trying ??= attempt({ framework, victim: linked(framework), replies: [proposal(first ?? [], others)] });
      return trying;
    };

    it.each(plants.map((plant, at) => [nameOf(plant), plant, at] as const))('%s', async (_, plant, at) => {
      const { events } = await tried();
      const fates = events.filter(isFate);
      // One that applied would have been tested next, so that the fates after it are of other patches.
      expect(fates).toHaveLength(plants.length);
      expect(fates[at]).toMatchObject({
        type: 'refused',
        refusals: expect.arrayContaining([expect.objectContaining({ path: plant.path })]),
      });
      if (plant.green) expect(greenIn(plant)).toBe(true);
    });

    it('and none of them is tested, or ends the run as done', async () => {
      const { result, tested } = await tried();
      expect(tested).toEqual([]);
      expect(result).toMatchObject({ status: 'stuck', patch: null, rounds: 0 });
    });

    it('but the right fix is done, without a warning', async () => {
      const { source, body, fix, test } = victims[framework];
      const right = [{ op: 'replace' as const, path: source, search: body, replace: fix }];
      const { result } = await attempt({ framework, replies: [proposal(right)] });
      expect(result).toMatchObject({ status: 'done', tests: { total: 2, passed: 2 } });
      expect(result.warnings).toEqual([]);
      expect(result.patch).not.toContain(test);
    });
  });
}

/** The victim with a link to its tests and one to the host, as a project may have them. */
const linked = (framework: Plant['framework']): Victim => ({
  files: victims[framework].files,
  links: { alias: path.dirname(victims[framework].test), host: '/etc' },
});

const isFate = (event: RepairEvent) => event.type === 'refused' || event.type === 'applied';

function greenIn({ framework, edits }: Plant): boolean {
  const dir = laid({ files: victims[framework].files });
  edited(dir, edits);
  return greenByHand(framework, dir);
}
