import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, inject } from 'vitest';
import type { FileChange, Report } from '../core/index.ts';
import { collect, openProject, runLab } from './index.ts';
import type { Expected, LabJob, OpenProjectOptions, Project } from './types.ts';

/** The Python that the checkout's set-up made, else the machine's. */
export const python = (() => {
  const own = path.resolve(import.meta.dirname, '../../.venv/bin/python');
  return fs.existsSync(own) ? own : 'python3';
})();

export const commands: Record<'pytest' | 'unittest' | 'node-test', string[]> = {
  pytest: [python, '-m', 'pytest'],
  unittest: [python, '-m', 'unittest'],
  'node-test': [process.execPath, '--test'],
};

/** Made folders of this test file, removed when it is done. */
export function labFixture() {
  const made: string[] = [];
  const folder = (name: string) => {
    const dir = fs.mkdtempSync(path.join(fs.realpathSync(tmpdir()), `assay-${name}-`));
    made.push(dir);
    return dir;
  };
  afterAll(() => {
    for (const dir of made) fs.rmSync(dir, { recursive: true, force: true });
  });
  const write = (files: Record<string, string>) => {
    const dir = folder('project');
    for (const [file, text] of Object.entries(files)) {
      fs.mkdirSync(path.dirname(path.join(dir, file)), { recursive: true });
      fs.writeFileSync(path.join(dir, file), text);
    }
    return dir;
  };
  const open = (dir: string, options: Partial<OpenProjectOptions> = {}) =>
    openProject({ dir, scratch: folder('scratch'), strict: inject('holdsEveryLimit'), ...options });
  /** A project of these files, opened for a framework, with the ids it must show. A named framework needs no command. */
  const lab = async (
    framework: keyof typeof commands,
    files: Record<string, string>,
    options: Partial<OpenProjectOptions> = {},
  ) => {
    const dir = write(files);
    const named = options.framework === undefined ? { testCommand: commands[framework] } : {};
    const project = await open(dir, { ...named, ...options });
    const expected = await collect({ project });
    const run = (edits: Record<string, string | null> = {}, job: Partial<LabJob> = {}): Promise<Report> =>
      runLab({ project, expected, changes: changesOf(project, edits), ...job });
    return { dir, project, expected, run };
  };
  return { folder, write, open, lab };
}

export type Lab = { dir: string; project: Project; expected: Expected };

/** Edits as the patch room would hand them over; null deletes. */
export function changesOf(project: Project, edits: Record<string, string | null>): FileChange[] {
  return Object.entries(edits).map(([file, text]) => ({
    path: file,
    before: project.files.includes(file) ? project.read(file) : null,
    after: text === null ? null : Buffer.from(text),
    mode: 0o644,
  }));
}

/** The status of a test in a report, `absent` where it has none. */
export function statusOf(report: Report, id: string): string {
  return report.tests.find((test) => test.id === id)?.status ?? 'absent';
}
