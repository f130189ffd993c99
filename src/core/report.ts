import { z } from 'zod';
import { enforcementSchema, outcomeReasonSchema, resourceUsageSchema } from './outcome.ts';

export const testStatusSchema = z.enum(['passed', 'failed', 'error', 'skipped', 'xfailed', 'xpassed']);
export type TestStatus = z.infer<typeof testStatusSchema>;

export const frameSchema = z.object({
  /** Relative to the project root where the file is the project's own, else absolute. */
  file: z.string(),
  line: z.number().int(),
  function: z.string(),
  inProject: z.boolean(),
});
export type Frame = z.infer<typeof frameSchema>;

export const failureSchema = z.object({
  /** The exception's class, e.g. `AssertionError`; empty where the framework gives none. */
  type: z.string(),
  message: z.string(),
  /** The whole stack trace as the framework prints it. */
  trace: z.string(),
  frames: z.array(frameSchema),
});
export type Failure = z.infer<typeof failureSchema>;

export const testResultSchema = z.object({
  /** The framework's own id, stable between runs: `tests/test_a.py::test_b[1]`, `tests.test_a.Case.test_b`, `a.test.js > suite > name`. */
  id: z.string(),
  file: z.string(),
  line: z.number().int().nullable(),
  status: testStatusSchema,
  durationMs: z.number().nonnegative(),
  failure: failureSchema.nullable(),
  skipReason: z.string().nullable(),
  stdout: z.string(),
  stderr: z.string(),
});
export type TestResult = z.infer<typeof testResultSchema>;

export const verdictSchema = z.enum([
  'passed',
  'failed',
  'no_tests',
  'timeout',
  'oom',
  'pids',
  'output_limit',
  'tampered',
  'error',
  'unavailable',
  'aborted',
]);
export type Verdict = z.infer<typeof verdictSchema>;

export const summarySchema = z.object({
  total: z.number().int().nonnegative(),
  passed: z.number().int().nonnegative(),
  failed: z.number().int().nonnegative(),
  skipped: z.number().int().nonnegative(),
});
export type Summary = z.infer<typeof summarySchema>;

/** The evidence for and against a verdict. */
export const integritySchema = z.object({
  /** Where the expected ids came from. `unknown` is never `passed` without --trust-collected. */
  expected: z.enum(['given', 'collected', 'static', 'trusted', 'unknown']),
  missing: z.array(z.string()),
  extra: z.array(z.string()),
  duplicates: z.array(z.string()),
  newlySkipped: z.array(z.string()),
  /** The record that closes the private channel came, and came last. */
  completed: z.boolean(),
  /** The test that must fail failed and the one that must pass passed; null where the framework was never reached. */
  canaries: z.boolean().nullable(),
  /** Protected files whose hash is not what was laid down. */
  changedFiles: z.array(z.string()),
  /** Records that a well-behaved runner never sends. */
  irregularities: z.array(z.string()),
  /** Code in the test process can forge its own results if it targets assay itself. True for the hardened judge. */
  forgeable: z.boolean(),
});
export type Integrity = z.infer<typeof integritySchema>;

/** The lab's structured result. */
export const reportSchema = z.object({
  schema: z.literal('assay-report/1'),
  verdict: verdictSchema,
  /** One sentence: what decided the verdict. */
  reason: z.string(),
  framework: z.string(),
  judge: z.enum(['hardened', 'apart']),
  command: z.array(z.string()),
  summary: summarySchema,
  tests: z.array(testResultSchema),
  /** What went wrong outside any test: an import or syntax error during collection, a crash of the runner. */
  problems: z.array(failureSchema.extend({ file: z.string() })),
  integrity: integritySchema,
  exit: z.object({
    reason: outcomeReasonSchema,
    code: z.number().int().nullable(),
    signal: z.string().nullable(),
  }),
  /** Head and tail of what the run printed; never parsed for results. */
  output: z.object({ stdout: z.string(), stderr: z.string(), truncated: z.boolean() }),
  startedAt: z.iso.datetime(),
  usage: resourceUsageSchema,
  enforcement: enforcementSchema,
  warnings: z.array(z.string()),
});
export type Report = z.infer<typeof reportSchema>;
