import { mkdirSync, statSync } from 'node:fs';
import module from 'node:module';
import path from 'node:path';

/**
 * Keeps compiled modules in the cache folder of the user (XDG Base Directory Specification), which more than halves
 * the start. Only where the folder is the user's own: what lies in it is run. Whatever speaks against it is no
 * failure: the modules are compiled again.
 */
export function cacheCompiled(env: NodeJS.ProcessEnv): void {
  const { XDG_CACHE_HOME: given = '', HOME: home = '' } = env;
  const base = path.isAbsolute(given) ? given : path.isAbsolute(home) ? path.join(home, '.cache') : null;
  if (base === null) return;
  try {
    const folder = path.join(base, 'assay', 'compiled');
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    if (statSync(folder).uid === process.geteuid?.()) module.enableCompileCache?.(folder);
  } catch {
    // A home that cannot be written to.
  }
}
