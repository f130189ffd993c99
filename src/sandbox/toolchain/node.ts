import { basename, dirname } from 'node:path';
import { isFolder } from './files.ts';
import { isShared, isSystem, withoutFiles } from './prefix.ts';
import type { Family } from './resolved.ts';

/** Node.js: the system's, nvm, fnm, the npm package `node`, or an unpacked release. */
export const node: Family = (found, lookup) => {
  if (!['node', 'nodejs'].includes(basename(found.real))) return null;
  const bin = dirname(found.real);
  const prefix = dirname(bin);
  const whole = basename(bin) === 'bin' && !isShared(prefix, lookup);
  return {
    program: found.real,
    prefixes: isSystem(found.real) ? [] : whole ? withoutFiles(prefix, ['etc']) : [found.real],
    spelled: [],
    path: bin === '/usr/bin' ? [] : [bin],
    env: {},
  };
};

/** The outermost `node_modules` that holds the real file of an npm script, so that its dependencies are found. */
export function enclosingModules(real: string): string | null {
  const end = real.indexOf('/node_modules/');
  const folder = end === -1 ? null : `${real.slice(0, end)}/node_modules`;
  return folder !== null && isFolder(folder) ? folder : null;
}
