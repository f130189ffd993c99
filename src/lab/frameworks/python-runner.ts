import { fileURLToPath } from 'node:url';
import type { RunMode } from './framework.ts';

/** Absolute path of one of the Python runner's own files. */
export function runnerFile(name: string): string {
  return fileURLToPath(new URL(`./python/${name}`, import.meta.url));
}

/** Makes two runs of the same files alike; only a collection may write byte code, which later runs find. */
export function pythonEnvironment(mode: RunMode): Record<string, string> {
  return { PYTHONHASHSEED: '0', ...(mode === 'collect' ? {} : { PYTHONDONTWRITEBYTECODE: '1' }) };
}
