export { type EvidenceWatch, type Seen, watchEvidence } from './cell-evidence.ts';
export { describeFigure, figuresOf, withoutNotes } from './figures.ts';
export { type FileChanges, type FileWatch, type FileWatchOptions, watchFiles } from './files.ts';
export { missingGlyphs } from './glyphs.ts';
export { type Keep, type KeepCaps, type KeepOptions, type Kept, keepCell } from './keep-cell.ts';
export { mediaTypeOf } from './media-types.ts';
export { probeVariables, type VariableChanges, type VariableWatch } from './variables.ts';
