import type { TestProject } from 'vitest/node';
import { doctor } from '../../src/sandbox/index.ts';

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

/** Asks the machine once, before the first test. */
export default async function setup(project: TestProject): Promise<void> {
  const refusal = await refusalHere();
  project.provide('holdsEveryLimit', refusal === null);
  project.provide('refusal', refusal);
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
