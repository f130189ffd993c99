import type { CellArtifact, CellEvidence, CellResult, KernelFile, Variable } from '../../core/index.ts';
import type { Kernel } from '../types.ts';
import { artifactsOf, artifactsOfFiles, type Keep } from './artifacts.ts';
import { takeFigures } from './figures.ts';
import { type FileWatchOptions, watchFiles } from './files.ts';
import { missingGlyphs } from './glyphs.ts';
import { probeVariables } from './variables.ts';

export type CellWatch = {
  /** Once the kernel has been started anew by someone else than a cell. Never rejects; returns warnings. */
  restarted(): Promise<string[]>;
  /**
   * What the cell that has just ended did, with its result as the journal holds it: images and large data kept as
   * artifacts. Never rejects for what the code did.
   */
  after(cell: number, result: CellResult): Promise<Watched>;
  /** Of the opening: what cannot be told of this kernel. */
  readonly warnings: readonly string[];
  readonly files: readonly KernelFile[];
  readonly variables: readonly Variable[];
};

export type Watched = { result: CellResult; evidence: CellEvidence; artifacts: CellArtifact[] };

export type CellWatchOptions = {
  kernel: Kernel;
  keep: Keep;
  files?: FileWatchOptions;
  /** Of a file that is kept as an artifact. Default 64 MiB. */
  maxFileBytes?: number;
  /** Characters of a text, or of data that is no image, that stay in the result. Default 20,000. */
  maxText?: number;
};

/**
 * Watches a kernel from cell to cell; begins with what is there now.
 * @throws AssayError where the kernel's files cannot be listed
 */
export async function watchCells(options: CellWatchOptions): Promise<CellWatch> {
  const { kernel, keep, maxText } = options;
  const variables = probeVariables(kernel);
  const files = await watchFiles(kernel.files, options.files);
  const warnings = await variables.install();
  return {
    restarted: () => variables.install(),
    async after(cell, raw) {
      const looked = hasKernel(raw)
        ? await variables.changes()
        : { variables: null, saved: [], warnings: [] };
      const changes = await files.changes();
      const { result, figures } = takeFigures(raw, looked.saved);
      const texts = maxText === undefined ? {} : { maxText, maxData: maxText };
      const shown = await artifactsOf(result, { keep, cell, figures, ...texts });
      const written = await artifactsOfFiles([...changes.created, ...changes.changed], {
        files: kernel.files,
        keep,
        ...(options.maxFileBytes === undefined ? {} : { maxBytes: options.maxFileBytes }),
      });
      const { created, changed, deleted } = changes;
      return {
        result: shown.result,
        artifacts: [...shown.artifacts, ...written.artifacts],
        evidence: {
          files: { created, changed, deleted },
          variables: looked.variables,
          figures,
          warnings: [...missingGlyphs(result), ...looked.warnings, ...changes.warnings, ...written.warnings],
        },
      };
    },
    warnings,
    get files() {
      return files.current;
    },
    get variables() {
      return variables.current;
    },
  };
}

/** One that is gone for good would only keep us waiting. */
function hasKernel({ end }: CellResult): boolean {
  return end.status !== 'unavailable';
}
