import { closeSync, constants, fstatSync, lstatSync, openSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { AssayError } from '../../core/index.ts';
import { parseJson } from '../../lab/index.ts';
import { checkConfig, type ProjectConfig, type UserConfig } from './config-schema.ts';
import { evaluateConfig, maxConfigBytes } from './evaluate-config.ts';

export type ReadConfigOptions = {
  /** The project's folder, absolute. */
  dir: string;
  strict: boolean;
  signal: AbortSignal;
};

/**
 * What the project's own configuration says; empty where it has none.
 * @throws AssayError `usage` where it is wrong or wants what is not its to decide, `environment` where a program of
 * the project would have to run and no sandbox can be had.
 */
export async function readProjectConfig({ dir, strict, signal }: ReadConfigOptions): Promise<ProjectConfig> {
  const [json, ts] = ['assay.config.json', 'assay.config.ts'].map((name) => path.join(dir, name)) as [
    string,
    string,
  ];
  const [asJson, asTs] = [readPlain(json), readPlain(ts)];
  if (asJson !== null && asTs !== null) {
    throw new AssayError({
      code: 'usage',
      message: `${dir} has both assay.config.json and assay.config.ts`,
      fix: 'keep one of the two',
    });
  }
  if (asJson !== null) return checkConfig(parse(asJson, json), { of: 'project', file: json });
  if (asTs === null) return {};
  const value = await evaluateConfig({ source: asTs.toString('utf8'), file: ts, strict, signal });
  return checkConfig(value, { of: 'project', file: ts });
}

/** What the user's own configuration says; empty where there is none. */
export function readUserConfig(env: NodeJS.ProcessEnv): UserConfig {
  const file = userConfigFile(env);
  const bytes = readPlain(file, { followLinks: true });
  return bytes === null ? {} : checkConfig(parse(bytes, file), { of: 'user', file });
}

/** `assay/config.json` in `XDG_CONFIG_HOME`, which counts only when absolute, else in `~/.config` (XDG 0.8). */
export function userConfigFile({ XDG_CONFIG_HOME: given = '', HOME }: NodeJS.ProcessEnv): string {
  const base = path.isAbsolute(given) ? given : path.join(HOME || homedir(), '.config');
  return path.join(base, 'assay', 'config.json');
}

/** The bytes of a regular file, or null where there is none. A project's may be no link: it would show another file. */
function readPlain(file: string, { followLinks = false } = {}): Buffer | null {
  if (!exists(file)) return null;
  let descriptor: number | null = null;
  try {
    // Non-blocking: opening a FIFO nobody writes to would wait for ever.
    const flags = constants.O_RDONLY | constants.O_NONBLOCK | (followLinks ? 0 : constants.O_NOFOLLOW);
    descriptor = openSync(file, flags);
    const stats = fstatSync(descriptor);
    if (!stats.isFile()) throw new Error('it is not a regular file');
    if (stats.size > maxConfigBytes) throw new Error(`it is over ${maxConfigBytes / 1024} KiB`);
    return readFileSync(descriptor);
  } catch (cause) {
    throw new AssayError({
      code: 'usage',
      message: `${file} cannot be read`,
      because: cause instanceof Error ? cause.message : String(cause),
      fix: 'make it a plain file that this user can read, or remove it',
      cause,
    });
  } finally {
    if (descriptor !== null) closeSync(descriptor);
  }
}

/** What cannot be looked for, because a folder on the way is none or is closed, is not there for this user. */
function exists(file: string): boolean {
  try {
    return lstatSync(file, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false;
  }
}

function parse(bytes: Buffer, file: string): unknown {
  try {
    return parseJson(bytes, { maxBytes: maxConfigBytes, maxDepth: 16 });
  } catch (error) {
    if (!AssayError.is(error)) throw error;
    throw new AssayError({
      code: 'usage',
      message: `${file} is not JSON`,
      because: error.because ?? error.message,
      fix: 'write one object, e.g. {"rounds": 3}',
    });
  }
}
