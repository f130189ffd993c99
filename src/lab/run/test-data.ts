import path from 'node:path';
import type { FileChange } from '../../core/index.ts';
import type { Project } from '../types.ts';

const code = /\.(?:py|pyi|[cm]?[jt]sx?)$/;

/**
 * Files that are no code, that a patch changes and that a test names: they may hold what the tests expect. A user who
 * knows that they do can protect them (`--protect`); here it is a warning, for programs have data of their own.
 */
export function changedTestData(
  project: Project,
  changes: readonly FileChange[],
  testFiles: readonly string[],
): string[] {
  const data = changes.filter(({ path: file, before }) => before !== null && !code.test(file));
  if (data.length === 0) return [];
  const readable = new Set(project.files);
  const tests = testFiles
    .filter((file) => readable.has(file))
    .map((file) => ({ file, text: Buffer.from(project.read(file)).toString('utf8') }));
  return data.flatMap(({ path: file }) => {
    const name = path.posix.basename(file);
    const naming = tests.find(({ text }) => text.includes(name));
    return naming === undefined
      ? []
      : [`the patch changes ${file}, which ${naming.file} names: does it hold what the tests expect?`];
  });
}
