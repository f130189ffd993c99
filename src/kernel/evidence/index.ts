export { type EvidenceWatch, type Seen, watchEvidence } from './cell-evidence.ts';
export { describeFigure } from './figures.ts';
export { type Keep, type KeepCaps, type KeepOptions, type Kept, keepCell } from './keep-cell.ts';
