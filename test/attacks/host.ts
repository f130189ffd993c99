import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** Pids of the processes of the whole machine that carry `token` in their arguments or environment. */
export function processesWith(token: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((pid) =>
      ['cmdline', 'environ'].some((file) => readOrEmpty(`/proc/${pid}/${file}`).includes(token)),
    )
    .map(Number);
}

/** The content, or nothing where the file is gone or not ours to read. */
export function readOrEmpty(file: string): string {
  try {
    return readFileSync(file, 'latin1');
  } catch {
    return '';
  }
}

/** Waits for a condition on the host; false when it did not come true in `ms` milliseconds. */
export async function eventually(condition: () => boolean, ms = 10_000): Promise<boolean> {
  const end = performance.now() + ms;
  while (performance.now() < end) {
    if (condition()) return true;
    await sleep(10);
  }
  return condition();
}

/** A process on the host with the runner's own uid, which nothing inside a sandbox may reach. */
export function sleeper(): { alive: () => boolean; end: () => void } {
  const child = spawn('/bin/sleep', ['600'], { stdio: 'ignore' });
  return {
    alive: () =>
      child.exitCode === null &&
      child.signalCode === null &&
      readOrEmpty(`/proc/${child.pid}/cmdline`) !== '',
    end: () => {
      child.kill('SIGKILL');
    },
  };
}

/** The control groups that the runner `pid` made and that still stand, in every mounted hierarchy. */
export function groupsOf(pid: number): string[] {
  return foldersBelow('/sys/fs/cgroup').filter((folder) => path.basename(folder).startsWith(`assay-${pid}-`));
}

/** The claims on uids that the runner `pid` holds, where root keeps them. */
export function claimsOf(pid: number): string[] {
  const folder = '/run/assay/slots';
  return existsSync(folder) ? readdirSync(folder).filter((claim) => claim.includes(`.assay-${pid}-`)) : [];
}

function foldersBelow(folder: string): string[] {
  let names: string[] = [];
  try {
    names = readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map((entry) => path.join(folder, entry.name));
  } catch {
    // Gone since it was listed.
  }
  return [...names, ...names.flatMap(foldersBelow)];
}
