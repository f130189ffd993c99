import { z } from 'zod';
import { type AnalysisEvent, AssayError } from '../../core/index.ts';
import type { Run } from '../../store/index.ts';

const inputsSchema = z.object({
  schema: z.literal('assay-inputs/1'),
  files: z.record(z.string(), z.string()),
});

const mostNamed = 5;

/**
 * Keeps the hashes of the files that the kernel began with, once, and compares them whenever it begins anew: after a
 * resume the cells are only what they were on the same files. Gives what is not as it was, in words.
 */
export function inputsOf(run: Run<AnalysisEvent>, name: string) {
  return async (files: readonly { path: string; sha256: string }[]): Promise<string[]> => {
    const now = Object.fromEntries(files.map(({ path, sha256 }) => [path, sha256]));
    const text = await run.readFile(name);
    if (text === null) {
      await run.writeFile(name, `${JSON.stringify({ schema: 'assay-inputs/1', files: now }, null, 2)}\n`);
      return [];
    }
    const then = parsed(name, text.toString('utf8'));
    const differing = [...new Set([...Object.keys(then), ...Object.keys(now)])]
      .filter((path) => then[path] !== now[path])
      .toSorted();
    if (differing.length === 0) return [];
    const named = differing.slice(0, mostNamed).join(', ');
    const more = differing.length > mostNamed ? ` and ${differing.length - mostNamed} more` : '';
    return [`the data is not what it was when the run began: ${named}${more}`];
  };
}

function parsed(name: string, text: string): Record<string, string> {
  try {
    return inputsSchema.parse(JSON.parse(text)).files;
  } catch (cause) {
    throw new AssayError({
      code: 'input',
      message: `${name} in the run folder is damaged`,
      because: cause instanceof Error ? cause.message : String(cause),
      fix: 'restore the run folder from a backup, or start a new run',
      cause,
    });
  }
}
