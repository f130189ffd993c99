import { mkdirSync, rmSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { AnalysisEvent, AnalysisResult } from '../core/index.ts';
import { resultPathProblem } from '../sandbox/index.ts';
import type { Run } from '../store/index.ts';

/** Where the files that an analysis made lie under their own names. */
export const filesFolder = (dir: string) => path.join(dir, 'files');

/**
 * Lays the files that cells made, in their last state, out under their own names; artifacts are named by their hash.
 * The working folder itself is no place for them: code still ran in it a moment ago, and the data lies beside them.
 */
export async function layOutFiles(run: Run<AnalysisEvent>, { artifacts }: AnalysisResult): Promise<void> {
  const folder = filesFolder(run.dir);
  rmSync(folder, { recursive: true, force: true });
  for (const { source, sha256 } of artifacts) {
    if (source.kind !== 'file' || resultPathProblem(source.path) !== null) continue;
    const file = path.join(folder, source.path);
    mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
    await writeFile(file, await run.readArtifact(sha256), { mode: 0o600 });
  }
}
