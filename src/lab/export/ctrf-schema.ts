import { z } from 'zod';

/**
 * The Common Test Report Format, transcribed from `schema/ctrf.schema.json` of github.com/ctrf-io/ctrf (read
 * 2026-11-30; draft-07, `additionalProperties: false` everywhere but under `extra`). Durations and times are whole
 * milliseconds; times count from the Unix epoch.
 */
const extra = z.record(z.string(), z.unknown()).optional();
const ctrfStatusSchema = z.enum(['passed', 'failed', 'skipped', 'pending', 'other']);
export type CtrfStatus = z.infer<typeof ctrfStatusSchema>;

const attachmentSchema = z.strictObject({
  name: z.string(),
  contentType: z.string(),
  path: z.string(),
  extra,
});

const lines = z.array(z.string()).optional();

const retryAttemptSchema = z.strictObject({
  attempt: z.int().min(1),
  status: ctrfStatusSchema,
  duration: z.int().optional(),
  message: z.string().optional(),
  trace: z.string().optional(),
  line: z.int().optional(),
  snippet: z.string().optional(),
  stdout: lines,
  stderr: lines,
  start: z.int().optional(),
  stop: z.int().optional(),
  attachments: z.array(attachmentSchema).optional(),
  extra,
});

const stepSchema = z.strictObject({ name: z.string(), status: ctrfStatusSchema, extra });

const metricDeltaSchema = z
  .strictObject({
    current: z.number().optional(),
    baseline: z.number().optional(),
    change: z.number().optional(),
  })
  .optional();

const testInsightsSchema = z.strictObject({
  passRate: metricDeltaSchema,
  failRate: metricDeltaSchema,
  flakyRate: metricDeltaSchema,
  averageTestDuration: metricDeltaSchema,
  p95TestDuration: metricDeltaSchema,
  executedInRuns: z.int().optional(),
  extra,
});

const scalar = z.union([z.string(), z.number(), z.boolean()]);

const ctrfTestSchema = z.strictObject({
  id: z.uuid().optional(),
  name: z.string().min(1),
  status: ctrfStatusSchema,
  duration: z.int(),
  start: z.int().optional(),
  stop: z.int().optional(),
  suite: z.array(z.string()).min(1).optional(),
  message: z.string().optional(),
  trace: z.string().optional(),
  snippet: z.string().optional(),
  ai: z.string().optional(),
  line: z.int().optional(),
  rawStatus: z.string().optional(),
  tags: z.array(z.string()).optional(),
  labels: z.record(z.string(), z.union([scalar, z.array(scalar).min(1)])).optional(),
  type: z.string().optional(),
  filePath: z.string().optional(),
  retries: z.int().optional(),
  retryAttempts: z.array(retryAttemptSchema).optional(),
  flaky: z.boolean().optional(),
  stdout: lines,
  stderr: lines,
  threadId: z.string().optional(),
  browser: z.string().optional(),
  device: z.string().optional(),
  screenshot: z.string().optional(),
  attachments: z.array(attachmentSchema).optional(),
  parameters: z.record(z.string(), z.unknown()).optional(),
  steps: z.array(stepSchema).optional(),
  insights: testInsightsSchema.optional(),
  extra,
});
export type CtrfTest = z.infer<typeof ctrfTestSchema>;

const summarySchema = z.strictObject({
  tests: z.int(),
  passed: z.int(),
  failed: z.int(),
  skipped: z.int(),
  pending: z.int(),
  other: z.int(),
  flaky: z.int().optional(),
  suites: z.int().optional(),
  start: z.int(),
  stop: z.int(),
  duration: z.int().optional(),
  extra,
});

const environmentSchema = z.strictObject({
  reportName: z.string().optional(),
  appName: z.string().optional(),
  appVersion: z.string().optional(),
  buildId: z.string().optional(),
  buildName: z.string().optional(),
  buildNumber: z.int().optional(),
  buildUrl: z.string().optional(),
  repositoryName: z.string().optional(),
  repositoryUrl: z.string().optional(),
  commit: z.string().optional(),
  branchName: z.string().optional(),
  osPlatform: z.string().optional(),
  osRelease: z.string().optional(),
  osVersion: z.string().optional(),
  testEnvironment: z.string().optional(),
  healthy: z.boolean().optional(),
  extra,
});

const insightsSchema = z.strictObject({
  passRate: metricDeltaSchema,
  failRate: metricDeltaSchema,
  flakyRate: metricDeltaSchema,
  averageRunDuration: metricDeltaSchema,
  p95RunDuration: metricDeltaSchema,
  averageTestDuration: metricDeltaSchema,
  runsAnalyzed: z.int().optional(),
  extra,
});

const baselineSchema = z.strictObject({
  reportId: z.uuid(),
  timestamp: z.iso.datetime({ offset: true }).optional(),
  source: z.string().optional(),
  buildNumber: z.int().optional(),
  buildName: z.string().optional(),
  buildUrl: z.url().optional(),
  commit: z.string().optional(),
  extra,
});

export const ctrfSchema = z.strictObject({
  reportFormat: z.literal('CTRF'),
  specVersion: z.string().regex(/^[0-9]+\.[0-9]+\.[0-9]+$/),
  reportId: z.uuid().optional(),
  timestamp: z.iso.datetime({ offset: true }).optional(),
  generatedBy: z.string().optional(),
  extra,
  results: z.strictObject({
    tool: z.strictObject({ name: z.string().min(1), version: z.string().optional(), extra }),
    summary: summarySchema,
    tests: z.array(ctrfTestSchema),
    environment: environmentSchema.optional(),
    extra,
  }),
  insights: insightsSchema.optional(),
  baseline: baselineSchema.optional(),
});
export type Ctrf = z.infer<typeof ctrfSchema>;
