import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Mount, Staging } from '../../sandbox/index.ts';
import { ports, socketName } from './connection.ts';

/** The working folder of every kernel, as its code sees it: one place, so that a notebook's paths hold elsewhere. */
export const workingFolder = '/analysis';

/** Where a kernel finds its connection file and makes its sockets. */
const runFolder = '/run/kernel';

export const connectionFile = `${runFolder}/connection.json`;
export const matplotlibFolder = `${runFolder}/matplotlib`;

/** The folders on the host that a kernel's processes use, one after the other. */
export type Ground = {
  /** The working folder, on the host. */
  work: string;
  mounts: Mount[];
  /** A fresh folder for the next process's sockets, with its connection file. */
  newRun(options: { key: string; files?: Record<string, string | Uint8Array> }): Run;
};

export type Run = { folder: string; mount: Mount; remove: () => void };

/**
 * Makes them below `staging`, which nobody else can enter: the code has another uid than the runner where the runner
 * is root, so what it shall write must be open to all.
 *
 * @param options.work the working folder, where the caller brings one
 * @param options.readOnly host folders and files that are shown below the working folder
 */
export function layGround(options: {
  staging: Staging;
  work?: string;
  readOnly: readonly { source: string; path: string }[];
}): Ground {
  const { staging } = options;
  const work = options.work ?? join(staging.path, 'work');
  openFolder(work);
  let runs = 0;
  return {
    work,
    mounts: [
      { kind: 'rw', source: work, target: workingFolder },
      ...options.readOnly.map(({ source, path }): Mount => {
        return { kind: 'ro', source, target: join(workingFolder, path) };
      }),
    ],
    newRun({ key, files = {} }) {
      const folder = join(staging.path, `run-${runs++}`);
      openFolder(folder);
      const connection = {
        transport: 'ipc',
        ip: `${runFolder}/${socketName}`,
        ...Object.fromEntries(Object.entries(ports).map(([channel, port]) => [`${channel}_port`, port])),
        key,
        signature_scheme: 'hmac-sha256',
        kernel_name: '',
      };
      writeFileSync(join(folder, 'connection.json'), JSON.stringify(connection), { mode: 0o644 });
      openFolder(join(folder, 'matplotlib'));
      for (const [name, content] of Object.entries(files)) {
        const file = join(folder, 'matplotlib', name);
        writeFileSync(file, content);
        chmodSync(file, 0o666);
      }
      return {
        folder,
        mount: { kind: 'rw', source: folder, target: runFolder },
        remove: () => rmSync(folder, { recursive: true, force: true }),
      };
    },
  };
}

function openFolder(path: string): void {
  mkdirSync(path, { recursive: true });
  // Not the mode of mkdir: the umask takes its bits from that one.
  if (codeIsAnother()) chmodSync(path, 0o777);
}

/** Whether the code has another uid than the runner, so that what it shall write must be open to all. */
export function codeIsAnother(): boolean {
  return process.getuid?.() === 0;
}

/**
 * Lets the next process write what the last one made: under root each sandbox may have another uid. To be called while
 * no process of the kernel lives. Links are not followed.
 */
export function reopen(work: string): void {
  if (!codeIsAnother()) return;
  spawnSync('chmod', ['-R', 'a+rwX', '--', work], { stdio: 'ignore' });
}
