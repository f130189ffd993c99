import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Context, DriverReply, DriverRequest, Mode } from './context.ts';
import { type Delegation, delegate } from './delegate.ts';

export type Driver = {
  /** Performs one attack. Rejects when the driver itself dies, which no attack may bring about. */
  perform(request: DriverRequest): Promise<DriverReply>;
  stop(): Promise<void>;
};

/** Node closes on exec what it inherits below 16, and what follows without a gap. */
const plantedFd = 40;

/** An ordinary uid of this process alone: suites that run at the same time must not share limits or folders. */
function ordinaryUid(): number {
  return 20_000 + (process.pid % 40_000);
}

/** Starts the runner under attack: as root, or as an ordinary uid in control groups that belong to it. */
export async function startDriver(mode: Mode): Promise<Driver> {
  const asRoot = process.getuid?.() === 0;
  const uid = asRoot && mode.runner === 'ordinary' ? ordinaryUid() : null;
  const home = fs.mkdtempSync(path.join(tmpdir(), 'assay-attacks-'));
  fs.chmodSync(home, 0o755);
  const scratch = path.join(home, 'scratch');
  fs.mkdirSync(scratch);
  if (uid !== null) fs.chownSync(scratch, uid, uid);
  const secret = `secret-${randomUUID()}`;
  const secretFile = path.join(home, secret);
  fs.writeFileSync(secretFile, secret, { mode: 0o644 });
  const context: Context = { mode, scratch, secret, plantedFd, planted: asRoot ? plantPrograms(home) : null };
  const delegation = uid !== null && mode.limits === 'cgroup' ? delegate(uid) : null;
  const child = spawnDriver({ context, home, uid, delegation, secretFile });
  return {
    perform: (request) => ask(child, request),
    stop: async () => {
      if (child.connected) child.disconnect();
      if (child.exitCode === null && child.signalCode === null) {
        await new Promise((resolve) => child.once('exit', resolve));
      }
      await delegation?.remove();
      // The second is where a runner of that uid notes what it holds.
      execFileSync('/bin/rm', ['-rf', home, ...(uid === null ? [] : [path.join(tmpdir(), `assay-${uid}`)])]);
    },
  };
}

type Spawn = {
  context: Context;
  home: string;
  uid: number | null;
  delegation: Delegation | null;
  secretFile: string;
};

const checkout = path.resolve(import.meta.dirname, '../..');

function spawnDriver({ context, home, uid, delegation, secretFile }: Spawn): ChildProcess {
  const enter = (delegation?.groups ?? []).map((group) => `echo $$ > '${group}/cgroup.procs'`);
  const plant = `exec ${plantedFd}<'${secretFile}'`;
  const [before, node, root] = uid === null ? [[], process.execPath, checkout] : showIn(home);
  const script = [...enter, plant, ...before, `exec "$@"`].join(' && ');
  const drop =
    uid === null ? [] : ['setpriv', `--reuid=${uid}`, `--regid=${uid}`, '--clear-groups', '--inh-caps=-all'];
  const argv = [...drop, node, path.join(root, 'test/attacks/driver.ts')];
  const own = uid === null ? [] : ['unshare', '--mount'];
  const [program = '', ...rest] = [...own, '/bin/bash', '-c', script, 'bash', ...argv];
  return spawn(program, rest, {
    cwd: '/',
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    env: {
      PATH: process.env.PATH,
      HOME: context.scratch,
      NODE_NO_WARNINGS: '1',
      ATTACK_CONTEXT: JSON.stringify(context),
      ATTACK_SECRET: context.secret,
    },
  });
}

/**
 * Commands that show the checkout and Node to another uid, in a mount namespace of its own: both may lie below a home
 * folder that only root can enter.
 */
function showIn(home: string): [string[], string, string] {
  const node = path.join(home, 'node');
  const root = path.join(home, 'checkout');
  fs.writeFileSync(node, '');
  fs.mkdirSync(root);
  return [
    [`mount --bind '${process.execPath}' '${node}'`, `mount --rbind '${checkout}' '${root}'`],
    node,
    root,
  ];
}

function ask(child: ChildProcess, request: DriverRequest): Promise<DriverReply> {
  return new Promise((resolve, reject) => {
    const died = () => reject(new Error(`the driver died (${child.signalCode ?? child.exitCode})`));
    if (!child.connected) return died();
    child.once('exit', died);
    child.once('message', (reply: DriverReply) => {
      child.off('exit', died);
      resolve(reply);
    });
    child.send(request);
  });
}

/** Copies of `sleep` that give root and file capabilities to whoever starts them on the host. */
function plantPrograms(home: string): string {
  const planted = path.join(home, 'planted');
  fs.mkdirSync(planted);
  const setuid = path.join(planted, 'setuid-sleep');
  const capable = path.join(planted, 'capable-sleep');
  for (const program of [setuid, capable]) fs.copyFileSync('/bin/sleep', program);
  fs.chmodSync(setuid, 0o4755);
  fs.chmodSync(capable, 0o755);
  // Version 2 of the attribute with the effective bit: CAP_CHOWN and CAP_DAC_OVERRIDE permitted.
  const code = `import os, struct; os.setxattr("${capable}", "security.capability", struct.pack("<IIIII", 0x02000001, 3, 0, 0, 0))`;
  execFileSync('/usr/bin/python3', ['-c', code]);
  return planted;
}
