export {
  type ArtifactOptions,
  artifactsOf,
  artifactsOfFiles,
  type Keep,
  type Kept,
} from './artifacts.ts';
export { describeFigure, takeFigures } from './figures.ts';
export { type FileChanges, type FileWatch, type FileWatchOptions, watchFiles } from './files.ts';
export { missingGlyphs } from './glyphs.ts';
export { mediaTypeOf } from './media-types.ts';
export { probeVariables, type VariableChanges, type VariableWatch } from './variables.ts';
export { type CellWatch, type CellWatchOptions, type Watched, watchCells } from './watch-cells.ts';
