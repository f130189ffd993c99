import type { Captured, Outcome } from '../../core/index.ts';
import { readRecords } from '../channel/read-records.ts';
import type { Execution } from './execute.ts';

const nothing: Captured = { head: '', tail: '', totalBytes: 0, truncated: false };

/** Stands for the run of a patch that is refused before anything is started. */
export function notRun(): Execution {
  const outcome: Outcome = {
    reason: 'exited',
    exitCode: null,
    signal: null,
    stdout: nothing,
    stderr: nothing,
    usage: { wallMs: 0, cpuMs: null, memoryPeakBytes: null, pidsPeak: null },
    enforcement: {
      isolation: 'none',
      hostUid: null,
      network: 'unknown',
      nestedNamespaces: 'none',
      seccomp: false,
      memory: 'none',
      oomCounter: false,
      pids: 'none',
      cpu: 'none',
      disk: 'none',
      killAll: 'none',
      notes: ['nothing was run'],
    },
    unavailable: null,
  };
  return { outcome, received: readRecords({ bytes: new Uint8Array(), nonce: '' }), command: [] };
}
