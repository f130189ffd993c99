import type { Unavailable } from '../core/index.ts';
import type { SetupState } from './reports.ts';
import type { Command } from './types.ts';

export type Evidence = {
  setup: SetupState;
  /** What was written to stderr: bwrap's own words where the setup did not get ready. */
  stderr: string;
  spawnError: Error | null;
  command: Command;
};

/** Why the command did not run, or null where it did. */
export function diagnose({ setup, stderr, spawnError, command }: Evidence): Unavailable | null {
  if (spawnError !== null) {
    return { cause: `bwrap could not be started: ${spawnError.message}`, fix: 'Run `assay doctor`' };
  }
  switch (setup.kind) {
    case 'running':
      return null;
    case 'preparing':
      return {
        cause: `the sandbox could not be prepared: ${setup.said || stderr.trim()}`,
        fix: 'Run `assay doctor`',
      };
    case 'building':
      return diagnoseBwrap(stderr);
    case 'failed':
      return diagnoseSetup(setup, command);
  }
}

function diagnoseSetup(setup: Extract<SetupState, { kind: 'failed' }>, command: Command): Unavailable {
  switch (setup.step) {
    case 'fill':
      return {
        cause: `the files could not be copied into the sandbox: ${setup.said}`,
        fix: 'Check the size of the workspace',
      };
    case 'folder':
      return { cause: `the folder ${command.cwd} does not exist in the sandbox`, fix: 'Mount it' };
    case 'exec':
      return {
        cause: `${command.argv[0]} cannot be started in the sandbox: it is not there or not a program`,
        fix: 'Check the command; only /usr, the mounted toolchains and the workspace exist inside',
      };
  }
}

function diagnoseBwrap(stderr: string): Unavailable {
  return { cause: `the sandbox could not be built: ${stderr.trim()}`, fix: 'Run `assay doctor`' };
}
