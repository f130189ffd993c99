import type { Unavailable } from '../core/index.ts';
import { diagnoseBwrap, type MachineFacts } from './diagnose-bwrap.ts';
import type { SetupState } from './reports.ts';
import type { Command } from './types.ts';

export type Evidence = {
  setup: SetupState;
  /** What was written to stderr: bwrap's own words where the preparation did not get ready. */
  stderr: string;
  spawnError: Error | null;
  command: Command;
  facts: MachineFacts;
};

/** Why the command did not run, or null where it did. */
export function diagnose({ setup, stderr, spawnError, command, facts }: Evidence): Unavailable | null {
  if (spawnError !== null)
    return { cause: `bwrap could not be started: ${spawnError.message}`, fix: spawnFix(spawnError) };
  switch (setup.kind) {
    case 'running':
      return null;
    case 'building':
      return diagnoseBwrap(stderr, facts);
    case 'preparing':
      return diagnoseBwrap(`${setup.said}\n${stderr}`, facts);
    case 'failed':
      return diagnoseStep(setup, command);
  }
}

function spawnFix(error: Error): string {
  const isBusy = 'code' in error && ['EAGAIN', 'ENOMEM', 'EMFILE', 'ENFILE'].includes(String(error.code));
  return isBusy ? 'Free some processes, memory or open files on this machine' : 'Install bubblewrap anew';
}

function diagnoseStep(setup: Extract<SetupState, { kind: 'failed' }>, command: Command): Unavailable {
  switch (setup.step) {
    case 'group':
      return {
        cause: `the sandbox could not enter its control group: ${setup.said}`,
        fix: 'Run `assay doctor` to see which control groups this machine lets you use',
      };
    case 'fill':
      return /No space left on device|Wrote only \d+ of/.test(setup.said)
        ? {
            cause: 'the files to copy into the sandbox do not fit into it',
            fix: 'Leave large files out of the workspace, or allow it more space',
          }
        : {
            cause: `the files could not be copied into the sandbox: ${setup.said}`,
            fix: 'Look whether the named files can be read',
          };
    case 'folder':
      return {
        cause: `the working folder ${command.cwd} does not exist in the sandbox`,
        fix: 'Check the path; only /usr, the mounted toolchains and the workspace exist inside',
      };
    case 'exec':
      return {
        cause: `${command.argv[0]} cannot be started in the sandbox: it is not there or is no program`,
        fix: 'Check the command; only /usr, the mounted toolchains and the workspace exist inside',
      };
  }
}
