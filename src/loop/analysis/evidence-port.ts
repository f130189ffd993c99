import type { CellResult, KernelFile } from '../../core/index.ts';
import { type Kernel, type Seen, watchEvidence } from '../../kernel/index.ts';

/** Looks at what a cell did to the kernel. */
export type EvidenceSource = {
  /** Takes what there is now as the ground that the next cell is compared with; gives the files of the folder. */
  ground(): Promise<readonly KernelFile[]>;
  /** What the cell that just ran did; the next one is compared with how it is now. */
  after(cell: { code: string; result: CellResult }): Promise<Seen>;
};

export type EvidenceOf = (kernel: Kernel) => EvidenceSource;

/** Files only, for any kernel: what changed in the listing of its working folder. */
export function fileEvidence(kernel: Kernel): EvidenceSource {
  let known = new Map<string, KernelFile>();
  const listed = async () => new Map((await kernel.files.list()).map((file) => [file.path, file]));
  return {
    async ground() {
      known = await listed();
      return [...known.values()];
    },
    async after({ result }) {
      const before = known;
      known = await listed();
      const created: KernelFile[] = [];
      const changed: (KernelFile & { before: string })[] = [];
      for (const file of known.values()) {
        const old = before.get(file.path);
        if (old === undefined) created.push(file);
        else if (old.sha256 !== file.sha256) changed.push({ ...file, before: old.sha256 });
      }
      const deleted = [...before.values()].filter(({ path }) => !known.has(path));
      const evidence = { files: { created, changed, deleted }, variables: null, figures: [], warnings: [] };
      return { result, evidence };
    },
  };
}

/** Files, and variables and figures where the kernel can be looked into. */
export function wholeEvidence(kernel: Kernel): EvidenceSource {
  const watch = watchEvidence(kernel);
  return {
    ground: () => watch.ground(),
    after: ({ result }) => watch.after({ result }),
  };
}
