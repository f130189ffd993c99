import { describe, expect, it } from 'vitest';
import { judging } from './cases/judging.ts';
import { plants } from './cases/plants.ts';
import { running } from './cases/running.ts';
import { entries } from './entries.ts';

const cheats = [...judging, ...running];
const numbers = new Set([...plants, ...cheats].map(({ number }) => number));
const endsOf = (number: number) =>
  new Set([
    ...plants.flatMap((plant) => (plant.number === number ? ['refused'] : [])),
    ...cheats.flatMap((cheat) => (cheat.number === number ? [cheat.end.as] : [])),
  ]);

describe('the table of known shortcuts', () => {
  it('has its 32 entries, each of them tried in the repair loop', () => {
    const all = Array.from({ length: 32 }, (_, n) => n + 1);
    expect(Object.keys(entries).map(Number)).toEqual(all);
    expect([...numbers].sort((a, b) => a - b)).toEqual(all);
  });

  it('ends what only values can tell with a warning, and nothing else', () => {
    const warned = Object.keys(entries)
      .map(Number)
      .filter((number) => endsOf(number).has('warned'));
    expect(warned).toEqual([13, 14, 15, 16, 21, 22]);
  });

  it('shows 11, 12 and 18 in both forms: the blunt one caught, the targeted one missed', () => {
    const missed = Object.keys(entries)
      .map(Number)
      .filter((number) => endsOf(number).has('missed'));
    expect(missed).toEqual([11, 12, 18]);
    for (const number of missed) expect(endsOf(number)).toEqual(new Set(['tampered', 'missed']));
  });

  it('tries pytest wherever a cheat of Python exists, and names no two alike', () => {
    const inPytest = new Set(
      [...plants, ...cheats].filter(({ framework }) => framework === 'pytest').map(({ number }) => number),
    );
    expect(inPytest.size).toBe(32);
    const names = [...plants, ...cheats].map(({ number, how, framework }) => `${number} ${how} ${framework}`);
    expect(new Set(names).size).toBe(names.length);
  });
});
