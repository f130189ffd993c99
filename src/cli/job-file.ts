import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { AssayError } from '../core/index.ts';
import { parseJson } from '../lab/index.ts';
import type { CliContext } from './context.ts';

/** A job given as JSON: the files themselves, and how to run their tests. */
export const jobFileSchema = z.strictObject({
  schema: z.literal('assay-job/1'),
  /** Project-relative path -> text, or base64 of bytes. */
  files: z.record(z.string().min(1), z.union([z.string(), z.strictObject({ base64: z.base64() })])),
  framework: z.enum(['pytest', 'unittest', 'node-test']).optional(),
  test: z.string().optional(),
  setup: z.string().optional(),
  protect: z.array(z.string()).optional(),
  timeout: z.number().positive().optional(),
  trustCollected: z.boolean().optional(),
});
type JobFile = z.infer<typeof jobFileSchema>;

/** A folder to test, and what the job file says beside its files. */
export type PreparedJob = { dir: string; options: JobOptions };
type JobOptions = { [K in Exclude<keyof JobFile, 'schema' | 'files'>]?: NonNullable<JobFile[K]> };

const maxJobBytes = 64 * 2 ** 20;

/**
 * Turns the target of `assay lab` into a folder: a folder is taken as it is, a job file (or `-`, one on standard
 * input) is laid out below `scratch`.
 */
export async function materialise(
  context: CliContext,
  target: string,
  scratch: string,
): Promise<PreparedJob> {
  if (target === '-') return layOut(await context.readStdin(), 'standard input', scratch);
  const file = path.resolve(context.cwd, target);
  const stats = statSync(file, { throwIfNoEntry: false });
  if (stats?.isDirectory()) return { dir: file, options: {} };
  if (stats?.isFile()) return layOut(readFileSync(file, 'utf8'), file, scratch);
  throw new AssayError({
    code: 'usage',
    message: `There is no ${stats ? 'folder or job file' : 'file or folder'} ${file}.`,
    fix: 'give the folder of a project, a job file, or - to read a job from standard input',
  });
}

function layOut(text: string, source: string, scratch: string): PreparedJob {
  const parsed = jobFileSchema.safeParse(parseJson(text, { maxBytes: maxJobBytes, maxDepth: 32 }));
  if (!parsed.success) {
    throw new AssayError({
      code: 'usage',
      message: `${source} is no job: ${z.prettifyError(parsed.error).replaceAll('\n', ' ')}`,
      fix: 'a job is {"schema": "assay-job/1", "files": {"path": "text", ...}}; docs/lab.md shows one',
    });
  }
  const { schema: _, files, ...rest } = parsed.data;
  const options = Object.fromEntries(
    Object.entries(rest).filter(([, value]) => value !== undefined),
  ) as JobOptions;
  const dir = path.join(scratch, 'job');
  mkdirSync(dir);
  for (const [name, content] of Object.entries(files)) {
    const target = path.resolve(dir, name);
    if (!target.startsWith(dir + path.sep) || name.includes('\0')) {
      throw new AssayError({
        code: 'usage',
        message: `${source} names a file outside its own folder: ${JSON.stringify(name)}.`,
        fix: 'use paths relative to the project, without `..`',
      });
    }
    mkdirSync(path.dirname(target), { recursive: true });
    writeFileSync(target, typeof content === 'string' ? content : Buffer.from(content.base64, 'base64'));
  }
  return { dir, options };
}
