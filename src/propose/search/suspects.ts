import type { FileIndex } from './analysis/file-index.ts';
import type { Site } from './analysis/site.ts';
import type { Localisation, Suspicion } from './localise.ts';
import { lineAt } from './syntax/source-file.ts';

/** A site worth editing. */
export type Suspect = { readonly index: FileIndex; readonly site: Site; readonly suspicion: Suspicion };

/** Code that runs at import has no test of its own: constants, defaults, class bodies. */
const importWeight = 0.35;
/** The head of a function, for its defaults and parameters. */
const headWeight = 0.8;

/** The sites of a file that a failing test ran, and those that ran before any test, at import. */
export function suspectsOf(index: FileIndex, localisation: Localisation): Suspect[] {
  const { file } = index;
  const whole = localisation.of(file.path, 1, file.lineStarts.length);
  return index.sites.flatMap((site) => {
    const own = localisation.of(file.path, site.from, site.to);
    const suspicion = atLeast(own, borrowed(index, site, localisation, whole));
    return suspicion.weight > 0 ? [{ index, site, suspicion }] : [];
  });
}

function borrowed(
  index: FileIndex,
  site: Site,
  localisation: Localisation,
  whole: Suspicion,
): Suspicion | null {
  if (site.node.role === 'function') {
    const last = lineAt(index.file, site.node.end);
    return scaled(localisation.of(index.file.path, site.from, last), headWeight);
  }
  if (site.scope.kind === 'function') return null;
  return scaled(whole, importWeight);
}

const scaled = (suspicion: Suspicion, factor: number): Suspicion => ({
  ...suspicion,
  weight: suspicion.weight * factor,
});

const atLeast = (own: Suspicion, other: Suspicion | null): Suspicion =>
  other !== null && other.weight > own.weight ? other : own;
