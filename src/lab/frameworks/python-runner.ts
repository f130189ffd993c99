import { fileURLToPath } from 'node:url';

/** Absolute path of one of the Python runner's own files. */
export function runnerFile(name: string): string {
  return fileURLToPath(new URL(`./python/${name}`, import.meta.url));
}

/** Makes two runs of the same files alike, and keeps byte code out of the workspace. */
export const pythonEnvironment = { PYTHONHASHSEED: '0', PYTHONDONTWRITEBYTECODE: '1' };
