import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { allotRest, allotShares, allotShortest, type Chosen, type Piece } from './pieces.ts';

const pieceArb = fc
  .tuple(fc.array(fc.nat(800), { maxLength: 4 }), fc.nat(3))
  .map(([lengths, modest]): Piece => {
    const forms = lengths.toSorted((a, b) => b - a).map((length) => () => 'x'.repeat(length));
    return { section: 'details', name: 'x', forms, modest };
  });
const toTell = (order: readonly Piece[]) => order.filter(({ forms }) => forms.some((make) => make() !== ''));

function allot(order: readonly Piece[], room: number): Chosen {
  const chosen: Chosen = new Map();
  const { left } = allotShortest(order, room, chosen);
  allotRest(order, allotShares(order, left, chosen), chosen);
  return chosen;
}

describe('pieces', () => {
  it('are there with all before them, within the room, and more room loses none', () => {
    fc.assert(
      fc.property(fc.array(pieceArb, { maxLength: 12 }), fc.nat(5000), fc.nat(2000), (order, room, more) => {
        const [chosen, larger] = [allot(order, room), allot(order, room + more)];
        const length = [...chosen.values()].join('').length;
        expect(length).toBeLessThanOrEqual(room);
        const pieces = toTell(order);
        expect(pieces.filter((piece) => chosen.has(piece))).toEqual(pieces.slice(0, chosen.size));
        for (const piece of chosen.keys()) expect(larger.has(piece)).toBe(true);
      }),
    );
  });
});
