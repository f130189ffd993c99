import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { AssayError } from '../core/index.ts';
import { parseJson, statFolder } from '../lab/index.ts';
import { refuseEmptyName } from './check-folder-name.ts';
import type { CliContext } from './context.ts';
import { leastMemory } from './parse-options.ts';

/** A job given as JSON: the files themselves, and how to run their tests. */
export const jobFileSchema = z.strictObject({
  schema: z.literal('assay-job/1'),
  /** Project-relative path -> text, or base64 of bytes. */
  files: z.record(z.string().min(1), z.union([z.string(), z.strictObject({ base64: z.base64() })])),
  framework: z.enum(['pytest', 'unittest', 'node-test']).optional(),
  /** The test command, as `--test`. */
  test: z.string().optional(),
  setup: z.string().optional(),
  /** Test ids that must all pass. */
  expect: z.array(z.string().min(1)).min(1).optional(),
  protect: z.array(z.string()).optional(),
  /** Seconds for the whole test run, and for one test. */
  timeout: z.number().positive().optional(),
  perTest: z.number().positive().optional(),
  /** Bytes. */
  memory: z.number().int().min(leastMemory).optional(),
  trustCollected: z.boolean().optional(),
});
type JobFile = z.infer<typeof jobFileSchema>;

/** What a job file says beside its files; the command line says it with the option of the same name. */
export type JobSettings = Omit<JobFile, 'schema' | 'files'>;

/** A folder to test, and what it was made of. */
export type PreparedJob = { dir: string; source: string; settings: JobSettings };

const maxJobBytes = 64 * 2 ** 20;

/**
 * Turns the target of `assay lab` into a folder: a folder is taken as it is, a job file (or `-`, one on standard
 * input) is laid out below `scratch`.
 *
 * @throws AssayError `usage` where there is no such target, `input` where it is no job, `environment` where its files
 * cannot be written.
 */
export async function materialise(
  context: CliContext,
  target: string,
  scratch: string,
): Promise<PreparedJob> {
  if (target === '-') return layOut(await context.readStdin(maxJobBytes), 'standard input', scratch);
  refuseEmptyName(target);
  const file = path.resolve(context.cwd, target);
  const stats = statFolder(file);
  if (stats?.isDirectory()) return { dir: file, source: file, settings: {} };
  if (stats?.isFile()) return layOut(readJob(file, stats.size), file, scratch);
  throw new AssayError({
    code: 'usage',
    message: `${file} ${stats ? 'is no folder and no file' : 'does not exist'}`,
    fix: 'give the folder of a project, a job file, or - to read a job from standard input',
  });
}

function readJob(file: string, bytes: number): Uint8Array {
  if (bytes > maxJobBytes) throw noJob(file, `it is over ${maxJobBytes / 2 ** 20} MiB`);
  try {
    return readFileSync(file);
  } catch (cause) {
    throw new AssayError({
      code: 'environment',
      message: `The job file ${file} cannot be read`,
      because: cause instanceof Error ? cause.message : String(cause),
      fix: 'give this user the permission to read it',
      cause,
    });
  }
}

function layOut(bytes: Uint8Array, source: string, scratch: string): PreparedJob {
  const { schema: _, files, ...settings } = parseJob(bytes, source);
  const dir = path.join(scratch, 'job');
  mkdirSync(dir);
  for (const [name, content] of Object.entries(files)) {
    const target = path.resolve(dir, name);
    if (!target.startsWith(dir + path.sep) || name.includes('\0'))
      throw noJob(source, `it names a file outside its own folder: ${JSON.stringify(name)}`);
    try {
      mkdirSync(path.dirname(target), { recursive: true });
      writeFileSync(target, typeof content === 'string' ? content : Buffer.from(content.base64, 'base64'), {
        flag: 'wx',
      });
    } catch (cause) {
      throw isName(cause)
        ? noJob(source, `no file can be called ${JSON.stringify(name)} beside the others: ${codeOf(cause)}`)
        : cannotWrite(name, cause);
    }
  }
  return { dir, source, settings };
}

function parseJob(bytes: Uint8Array, source: string): JobFile {
  let value: unknown;
  try {
    value = parseJson(bytes, { maxBytes: maxJobBytes, maxDepth: 32 });
  } catch (error) {
    if (!AssayError.is(error)) throw error;
    throw noJob(source, error.because ?? error.message);
  }
  const parsed = jobFileSchema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw noJob(
    source,
    parsed.error.issues
      .slice(0, 3)
      .map((issue) => `${issue.path.join('.') || 'the object'}: ${issue.message}`)
      .join('; '),
  );
}

function noJob(source: string, because: string): AssayError {
  return new AssayError({
    code: 'input',
    message: `${source} is no job`,
    because,
    fix: 'a job is {"schema": "assay-job/1", "files": {"path": "text", ...}}; docs/lab.md shows one',
  });
}

/** Two names that cannot both be (`a` and `a/b`), one that is a folder's, or one that is too long. */
const isName = (cause: unknown) => ['EEXIST', 'ENOTDIR', 'EISDIR', 'ENAMETOOLONG'].includes(codeOf(cause));

const codeOf = (cause: unknown) =>
  cause instanceof Error && 'code' in cause && typeof cause.code === 'string' ? cause.code : '';

/** What is left is the disk's. */
function cannotWrite(name: string, cause: unknown): AssayError {
  return new AssayError({
    code: 'environment',
    message: `The file ${JSON.stringify(name)} of the job cannot be written`,
    because: cause instanceof Error ? cause.message : String(cause),
    fix: 'check the permissions of the temporary folder (TMPDIR), and the space left in it',
    cause,
  });
}
