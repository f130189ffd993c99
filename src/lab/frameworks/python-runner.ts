import { fileURLToPath } from 'node:url';
import type { Canary, RunMode } from './framework.ts';

const parts: Record<'pytest' | 'unittest', string[]> = {
  pytest: ['', '_run', '_listener', '_results'],
  unittest: ['', '_run', '_listener'],
};

/** Absolute paths of the Python runner's own files. */
export function runnerFiles(framework: 'pytest' | 'unittest'): string[] {
  const own = parts[framework].map((part) => `${framework}${part}`);
  return [...own, 'channel', 'exit', 'canaries', 'watch', 'hang'].map((name) =>
    fileURLToPath(new URL(`./python/assay_${name}.py`, import.meta.url)),
  );
}

/** Makes two runs of the same files alike; only a collection may write byte code, which later runs find. */
export function pythonEnvironment(mode: RunMode): Record<string, string> {
  return { PYTHONHASHSEED: '0', ...(mode === 'collect' ? {} : { PYTHONDONTWRITEBYTECODE: '1' }) };
}

/** The canaries of a Python runner by what they must come to; those of a library that is not loaded are not needed. */
export function canaries(names: {
  failing: readonly string[];
  failingIfLoaded: readonly string[];
  passing: readonly string[];
}): Canary[] {
  return [
    ...names.failing.map((id): Canary => ({ id, expect: 'failed', optional: false })),
    ...names.failingIfLoaded.map((id): Canary => ({ id, expect: 'failed', optional: true })),
    ...names.passing.map((id): Canary => ({ id, expect: 'passed', optional: false })),
  ];
}
