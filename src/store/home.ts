import { homedir } from 'node:os';
import path from 'node:path';

export type Env = Readonly<Record<string, string | undefined>>;

/**
 * Where runs are kept: `ASSAY_HOME`, else `assay` in the XDG state folder (XDG Base Directory Specification 0.8:
 * `XDG_STATE_HOME`, which counts only when absolute, else `~/.local/state`). Absolute; created by the first run.
 */
export function resolveHome({ home, env }: { home?: string | undefined; env: Env }): string {
  const asked = home ?? env.ASSAY_HOME;
  if (asked !== undefined && asked !== '') return path.resolve(asked);
  const state = env.XDG_STATE_HOME;
  if (state !== undefined && path.isAbsolute(state)) return path.join(state, 'assay');
  return path.join(env.HOME || homedir(), '.local', 'state', 'assay');
}
