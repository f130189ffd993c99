import { spawnSync } from 'node:child_process';
import { accessSync, constants, readFileSync } from 'node:fs';
import { readLayout } from '../../src/sandbox/cgroup/layout.ts';
import { type Mode, type ModeName, modes } from './context.ts';

/** What keeps a mode from running here; null where it can. */
export function obstacle(name: ModeName): string | null {
  const mode = modes[name];
  const isRoot = process.getuid?.() === 0;
  if (mode.runner === 'root' && !isRoot) return 'the suite does not run as root';
  if (mode.limits === 'cgroup' && !ownsGroup('memory'))
    return 'the suite owns no control group that limits memory';
  if (mode.runner === 'ordinary' && isRoot && !isOpenToOthers())
    return 'the checkout or its Node lies where other users may not read';
  return null;
}

export function possibleModes(): Mode[] {
  return Object.values(modes).filter((mode) => obstacle(mode.name) === null);
}

function ownsGroup(controller: string): boolean {
  return readLayout({
    mountinfo: readFileSync('/proc/self/mountinfo', 'utf8'),
    selfCgroup: readFileSync('/proc/self/cgroup', 'utf8'),
  }).some(({ version, controllers, ownDir }) => {
    const offered =
      version === 1 ? controllers : readFileSync(`${ownDir}/cgroup.controllers`, 'utf8').trim().split(' ');
    return offered.includes(controller) && isWritable(ownDir);
  });
}

/** Whether another uid can start the driver where it lies. */
function isOpenToOthers(): boolean {
  const drop = ['--reuid=54321', '--regid=54321', '--clear-groups', '--inh-caps=-all'];
  const look = 'test -x "$1" && test -r "$2"';
  const { status } = spawnSync('setpriv', [
    ...drop,
    '/bin/sh',
    '-c',
    look,
    'sh',
    process.execPath,
    import.meta.filename,
  ]);
  return status === 0;
}

function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
