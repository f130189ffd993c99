import { z } from 'zod';
import type { Candidate, CandidateResult, Coverage } from '../../core/index.ts';
import type { SandboxProcess } from '../../sandbox/index.ts';
import { jsonLines } from './json-lines.ts';
import type { CandidateTime } from './schedule.ts';

/** What `python/fork_server.py` is told before anything else. */
export type ForkServerSetup = {
  framework: 'pytest' | 'unittest';
  /** The project's folder inside the sandbox. */
  root: string;
  /** Folders emptied after each candidate. */
  scratch: string[];
  /** Folders below `root` that are mounted read-only: no look needed, and not the project's own code. */
  skip: string[];
  /** Test ids that a candidate is tried on first and alone. */
  failing: string[];
  /** All test ids, in the order of the baseline. */
  order: string[];
  /** Arguments of the framework. */
  args: string[];
  /** Absolute names of test files and conftests. */
  tests: string[];
  /** The project's own files that are no tests: absolute name -> name in the project. */
  files: Record<string, string>;
  /** Folders that tests are imported from. */
  path: string[];
  /** Seconds for the first collection. */
  limit: number;
};

const readySchema = z.object({
  op: z.literal('ready'),
  probe: z.string(),
  modules: z.number(),
  clean: z.boolean(),
});

const candidateAnswerSchema = z.object({
  op: z.literal('candidate'),
  id: z.string(),
  status: z.enum(['passed', 'failed', 'invalid', 'hung', 'crashed']),
  passed: z.number().int().nonnegative(),
  failed: z.string().nullable(),
  ms: z.number().nonnegative(),
  clean: z.boolean(),
});

const coverageAnswerSchema = z.object({
  op: z.literal('coverage'),
  tests: z.array(
    z.object({
      id: z.string(),
      passed: z.boolean(),
      lines: z.record(z.string(), z.array(z.number().int())),
    }),
  ),
  clean: z.boolean(),
});

/** A running fork server. Every answer is `null` once it is lost: dead, silent or out of step. */
export type ForkServer = {
  judge(candidate: Candidate, time: CandidateTime): Promise<CandidateResult | null>;
  coverage(limits: { totalMs: number; testMs: number }): Promise<Coverage | null>;
  close(): Promise<void>;
};

/** Limits are counted in CPU time there, and this many times as much wall time is given; `python/assay_fork.py`. */
const patience = 4;
/** How long the server may be silent beyond what it was given, before it counts as lost. Milliseconds. */
const grace = 5_000;

/**
 * Sends the set-up and waits until the server has imported what it can.
 *
 * @returns null when the server died or said something unexpected; `process.exited` then tells why.
 */
export async function startForkServer(
  process: SandboxProcess,
  setup: ForkServerSetup,
): Promise<ForkServer | null> {
  if (process.channel === undefined) return null;
  const lines = jsonLines(process.channel);

  const ask = async <T>(message: unknown, schema: z.ZodType<T>, limitMs: number): Promise<T | null> => {
    lines.send(message);
    const answer = await withDeadline(
      lines.receive().catch(() => null),
      patience * limitMs + grace,
    );
    const parsed = schema.safeParse(answer);
    return parsed.success ? parsed.data : null;
  };

  const ready = await ask(setup, readySchema, setup.limit * 1_000);
  if (ready === null || !ready.clean) {
    await process.kill();
    return null;
  }
  return {
    judge: async (candidate, { limitMs, startMs, idleMs }) => {
      const files = candidate.files.map(({ path, content }) => [path, content]);
      const limits = { limit: limitMs / 1_000, start: startMs / 1_000, idle: idleMs / 1_000 };
      const message = { op: 'candidate', id: candidate.id, files, ...limits };
      const answer = await ask(message, candidateAnswerSchema, limitMs);
      // A workspace that could not be restored taints everything after it.
      if (answer === null || answer.id !== candidate.id || !answer.clean) return null;
      const { id, status, passed, failed, ms } = answer;
      return { id, status, testsPassed: passed, failedTest: failed, durationMs: ms };
    },
    coverage: async ({ totalMs, testMs }) => {
      const message = { op: 'coverage', limit: totalMs / 1_000, testLimit: testMs / 1_000 };
      const answer = await ask(message, coverageAnswerSchema, totalMs);
      return answer === null ? null : { tests: answer.tests };
    },
    close: async () => {
      await process.kill();
    },
  };
}

async function withDeadline<T>(promise: Promise<T>, ms: number): Promise<T | null> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<null>((resolve) => {
    timer = setTimeout(() => resolve(null), ms);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
