import type { CellEvidence, CellResult, KernelFile, Variable } from '../../core/index.ts';
import type { Kernel } from '../types.ts';
import { figuresOf, withoutNotes } from './figures.ts';
import { type FileWatch, type FileWatchOptions, watchFiles } from './files.ts';
import { missingGlyphs } from './glyphs.ts';
import { probeVariables } from './variables.ts';

/** `result`: without what only the looking put there, and with what it kept threads of the cell from saying there. */
export type Seen = { result: CellResult; evidence: CellEvidence };

/** Looks at what cells do to a kernel: to its files, its variables, and the figures they make. */
export type EvidenceWatch = {
  /**
   * Takes what there is now as the ground that the next cell is compared with; gives the files of the folder. Once the
   * kernel is open, and again after each restart that no cell was the cause of.
   * @throws AssayError where the files cannot be listed
   */
  ground(): Promise<readonly KernelFile[]>;
  /** What the cell that just ran did; the next one is compared with how it is now. Never rejects for what it did. */
  after(cell: { result: CellResult }): Promise<Seen>;
  /** As of the last look. */
  readonly variables: readonly Variable[];
};

export function watchEvidence(kernel: Kernel, options: { files?: FileWatchOptions } = {}): EvidenceWatch {
  const variables = probeVariables(kernel);
  let files: FileWatch | null = null;
  /** Told with the next cell. */
  let pending: string[] = [];
  const filesOf = async () => {
    files ??= await watchFiles(kernel.files, options.files);
    return files;
  };
  return {
    async ground() {
      const isFirst = files === null;
      const watch = await filesOf();
      const { warnings } = isFirst ? watch : await watch.changes();
      const problems = await variables.install();
      const looked = problems.length === 0 ? await variables.changes() : { warnings: problems };
      pending = [...(isFirst ? [...warnings, ...looked.warnings] : looked.warnings)];
      return watch.current;
    },
    async after({ result }) {
      const watch = await filesOf();
      // A kernel that is gone for good would only keep us waiting.
      const isGone = result.end.status === 'unavailable';
      const looked = isGone ? nothing : await variables.changes();
      const { warnings, ...changes } = await watch.changes();
      const told = pending;
      pending = [];
      const evidence = {
        files: changes,
        variables: looked.variables,
        figures: figuresOf(result, looked.saved),
        warnings: [...told, ...missingGlyphs(result, looked.glyphs), ...looked.warnings, ...warnings],
      };
      return { result: withoutNotes(variables.withStrays(result)), evidence };
    },
    get variables() {
      return variables.current;
    },
  };
}

const nothing = { variables: null, saved: [], glyphs: [], warnings: [] };
