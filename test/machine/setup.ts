import { existsSync, rmdirSync } from 'node:fs';
import path from 'node:path';
import type { TestProject } from 'vitest/node';
import { doctor, sweep } from '../../src/sandbox/index.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /**
     * Whether this machine holds every limit for this user, as `assay doctor` finds. Where it does not, the default
     * policy refuses to run anything, so a test that is about something else opens its sandboxes with
     * `strict: inject('holdsEveryLimit')`.
     */
    holdsEveryLimit: boolean;
    /** What `assay doctor` says where it does not. */
    refusal: string | null;
  }
  interface TaskMeta {
    /** Set by a test that could only assert here that something cannot be had: what it would have needed. */
    notTried?: string;
  }
}

/** Asks the machine once, before the first test; leaves it as it was after the last. */
export default async function setup(project: TestProject): Promise<() => void> {
  const uid = process.getuid?.();
  const folders = [`/tmp/assay-${uid}`, ...(uid === 0 ? ['/run/assay'] : [])];
  const made = folders.filter((folder) => !existsSync(folder));
  const refusal = await refusalHere();
  project.provide('holdsEveryLimit', refusal === null);
  project.provide('refusal', refusal);
  return () => {
    sweep();
    for (const folder of made) removeEmpty(folder);
  };
}

/** Where runners note what they hold. Another one may have begun to use it. */
function removeEmpty(folder: string): void {
  for (const part of ['slots', 'staging', '']) {
    try {
      rmdirSync(path.join(folder, part));
    } catch {
      // In use, or not there.
    }
  }
}

async function refusalHere(): Promise<string | null> {
  try {
    const report = await doctor();
    return report.ok ? null : report.unavailable.cause;
  } catch (error) {
    // A sandbox that is broken is for its own tests to show: those of other rooms still run.
    return String(error);
  }
}
