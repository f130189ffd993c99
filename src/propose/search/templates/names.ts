import type { VisibleName } from '../analysis/names.ts';
import { visibleValues } from '../analysis/names.ts';
import { likeness } from '../analysis/shape.ts';
import { isTarget } from '../syntax/kinds.ts';
import { textOf } from '../syntax/source-file.ts';
import { replaceText } from './edit.ts';
import { slotOf } from './slots.ts';
import type { Template } from './template.ts';

const id = 'names';
/** A name from a comprehension around, from this function, from around it, from the module. */
const near = [1, 1, 0.7, 0.35];
/** Names tried in one place. */
const most = 14;

/**
 * Another variable that can be read here. Scalar variable replacement (SVR) of Mothra (King and Offutt, SPE 1991);
 * "change identifier used" of ManySStuBs4J (Karampatsis and Sutton, MSR 2020); the variable replacer of TBar (Liu
 * et al., ISSTA 2019).
 */
export const names: Template = {
  id,
  prior: 0.9,
  *rewrites(place) {
    const { index, site } = place;
    for (const node of site.expressions) {
      if (slotOf(place, node) === 'callee') continue;
      const text = textOf(site.file, node);
      const visible = visibleValues(index, site, node);
      const own = visible.find((name) => name.name === text);
      if (node.role !== 'identifier' && own?.kind !== 'member') continue;
      const shape = own?.shape ?? null;
      const weight = (name: VisibleName) =>
        likeness(shape, name.shape) * (near[name.distance] ?? 0.35) * (name.idle ? 1.4 : 1);
      // Another attribute of the same object is the work of `members`.
      const others = visible
        .filter((name) => name.name !== text && !(own?.kind === 'member' && name.kind === 'member'))
        .sort((a, b) => weight(b) - weight(a))
        .slice(0, most);
      const stored = isTarget(node) ? 0.3 : 0.65;
      for (const [rank, name] of others.entries()) {
        const prior = Math.min(0.9, (stored * weight(name)) / (1 + rank * 0.06));
        yield replaceText(place, node, name.name, { template: id, prior });
      }
    }
  },
};
