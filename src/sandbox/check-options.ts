import { posix } from 'node:path';
import { AssayError } from '../core/index.ts';
import { isInside } from './is-inside.ts';
import type { Command, Limits, Mount, RunOptions } from './types.ts';

/**
 * Refuses options that no sandbox can be made of: a bug of the caller, or a path nobody should mount over.
 *
 * @throws AssayError `usage`
 */
export function checkOptions({ command, policy, limits }: RunOptions): void {
  checkCommand(command);
  checkLimits(limits);
  for (const [index, mount] of policy.mounts.entries()) checkMount(mount, policy.mounts.slice(0, index));
  for (const prefix of policy.toolchains.flatMap(({ prefixes }) => prefixes)) checkPath(prefix, 'prefix');
}

function checkCommand({ argv, cwd, env }: Command): void {
  if (argv[0] === undefined || argv[0] === '') throw wrong('the command is empty', 'Name a program');
  checkPath(cwd, 'cwd');
  for (const text of [...argv, ...Object.values(env)]) {
    if (text.includes('\0')) throw wrong('a command or variable holds a NUL character', 'Remove it');
  }
  for (const name of Object.keys(env)) {
    if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) {
      throw wrong(
        `${JSON.stringify(name)} is no name of an environment variable`,
        'Use letters, digits and _',
      );
    }
  }
}

function checkLimits({ output, ...limits }: Limits): void {
  for (const [name, value] of Object.entries({ ...limits, 'output.maxBytes': output.maxBytes })) {
    if (!(Number.isFinite(value) && value > 0))
      throw wrong(`the limit ${name} is ${value}`, 'Give a positive number');
  }
}

/** What the built root holds already, and must stay as it is. */
const reserved = ['/proc', '/dev', '/sys', '/.assay'];

function checkMount(mount: Mount, earlier: readonly Mount[]): void {
  checkPath(mount.target, 'target');
  if (mount.target === '/' || reserved.some((folder) => isInside(mount.target, folder))) {
    throw wrong(`nothing can be mounted on ${mount.target}`, 'Choose another target');
  }
  if (mount.kind !== 'tmpfs') checkPath(mount.source, 'source');
  if (mount.kind === 'tmpfs' && !(mount.sizeBytes > 0))
    throw wrong(`${mount.target} has no size`, 'Give one');
  if (mount.kind !== 'fill') return;
  if (!earlier.some(({ kind, target }) => kind === 'tmpfs' && isInside(mount.target, target))) {
    throw wrong(
      `the fill of ${mount.target} has no tmpfs mount before it to go into`,
      'Mount a tmpfs there first',
    );
  }
}

function checkPath(path: string, what: string): void {
  const isPlain =
    posix.isAbsolute(path) && (path === '/' || posix.normalize(path) === path) && !path.endsWith('/.');
  if (isPlain && (path === '/' || !path.endsWith('/')) && !/[\0\n]/.test(path)) return;
  if (/[\n]/.test(path))
    throw wrong(`the ${what} ${JSON.stringify(path)} has a line break in it`, 'Rename the folder');
  throw wrong(`the ${what} ${JSON.stringify(path)} is no plain absolute path`, 'Resolve it first');
}

function wrong(message: string, fix: string): AssayError {
  return new AssayError({ code: 'usage', message: `Sandbox: ${message}`, fix });
}
