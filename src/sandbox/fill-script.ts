import { posix } from 'node:path';
import { fillSource } from './bwrap-arguments.ts';
import { descriptor } from './descriptors.ts';
import { isInside } from './is-inside.ts';
import { setupWord } from './setup-words.ts';
import { quote } from './shell.ts';
import type { Mount } from './types.ts';

/** A descriptor that only these lines use, to carry failure out of a pipeline. */
const scratch = 8;

/**
 * Lines for a shell that copy the sources of the `fill` mounts. tar and not cp: it replaces links instead of writing
 * through them, gives nested mount points the right mode and time, and reads and writes at once. What a read-only or
 * host mount covers is left out.
 *
 * @param writeAs the command that changes to the uid the files shall belong to; reading is done without it
 */
export function fillScript(mounts: readonly Mount[], writeAs: readonly string[]): string {
  const fills = mounts.filter((mount) => mount.kind === 'fill');
  if (fills.length === 0) return '';
  const copies = fills.map(({ target }, index) => copyLine({ index, target, mounts, writeAs }));
  return `PATH=/usr/bin:/bin\n${copies.join('')}`;
}

function copyLine(options: {
  index: number;
  target: string;
  mounts: readonly Mount[];
  writeAs: readonly string[];
}): string {
  const { index, target, mounts, writeAs } = options;
  const excluded = mounts
    .filter((mount) => covers(mount, target))
    .map((mount) => `--exclude ${quote(`./${posix.relative(target, mount.target)}`)}`);
  const read = `tar -C ${fillSource(index)} --anchored --no-wildcards ${excluded.join(' ')} -cf - .`;
  const write = [...writeAs, `tar -C ${quote(target)} -xpf -`].join(' ');
  const { setup } = descriptor;
  const failed = `|| echo failed >&${scratch}`;
  const pipeline = `{ ${read} ${failed}; } 2>&${setup} | ${write} >&${setup} 2>&1 ${failed}`;
  return `[ -z "$({ ${pipeline}; } ${scratch}>&1)" ] || { echo '${setupWord.fill}' >&${setup}; exit 1; }\n`;
}

const covers = (mount: Mount, target: string) =>
  (mount.kind === 'ro' || mount.kind === 'rw') && mount.target !== target && isInside(mount.target, target);
