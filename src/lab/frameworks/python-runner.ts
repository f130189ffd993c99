import { fileURLToPath } from 'node:url';
import type { RunMode } from './framework.ts';

const parts: Record<'pytest' | 'unittest', string[]> = {
  pytest: ['', '_run', '_listener', '_results'],
  unittest: ['', '_run', '_listener'],
};

/** Absolute paths of the Python runner's own files. */
export function runnerFiles(framework: 'pytest' | 'unittest'): string[] {
  const own = parts[framework].map((part) => `${framework}${part}`);
  return [...own, 'channel', 'canaries', 'watch', 'hang'].map((name) =>
    fileURLToPath(new URL(`./python/assay_${name}.py`, import.meta.url)),
  );
}

/** Makes two runs of the same files alike; only a collection may write byte code, which later runs find. */
export function pythonEnvironment(mode: RunMode): Record<string, string> {
  return { PYTHONHASHSEED: '0', ...(mode === 'collect' ? {} : { PYTHONDONTWRITEBYTECODE: '1' }) };
}
