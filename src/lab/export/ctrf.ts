import { createHash } from 'node:crypto';
import type { Report } from '../../core/index.ts';
import type { Ctrf, CtrfStatus, CtrfTest } from './ctrf-schema.ts';
import { type Row, reportRows } from './rows.ts';

/** The version of the format that `ctrfSchema` transcribes. */
const specVersion = '0.1.0';

/**
 * The report in the Common Test Report Format. The format has no words for trust, so what assay knows beyond it
 * (verdict, integrity, enforcement) is under `extra.assay` only; what keeps a report from `passed` is also a failing
 * test, see `reportRows`. Every string is well-formed Unicode, so that strict JSON readers take it.
 */
export function toCtrf(report: Report): Ctrf {
  const tests = reportRows(report).map(toTest);
  const count = (status: CtrfStatus) => tests.filter((test) => test.status === status).length;
  const start = Date.parse(report.startedAt);
  const duration = Math.round(report.usage.wallMs);
  return wellFormed({
    reportFormat: 'CTRF',
    specVersion,
    timestamp: report.startedAt,
    generatedBy: 'assay',
    results: {
      tool: { name: report.framework || 'unknown' },
      summary: {
        tests: tests.length,
        passed: count('passed'),
        failed: count('failed'),
        skipped: count('skipped'),
        pending: count('pending'),
        other: count('other'),
        start,
        stop: start + duration,
        duration,
      },
      tests,
      environment: { osPlatform: process.platform, healthy: report.verdict !== 'unavailable' },
      extra: { assay: factsOf(report) },
    },
  });
}

function toTest(row: Row): CtrfTest {
  return {
    id: stableUuid(row.id),
    name: row.name,
    status: statusOf(row.status),
    duration: Math.round(row.durationMs),
    rawStatus: row.status,
    ...(row.file === '' ? {} : { suite: [row.file], filePath: row.file }),
    ...(row.line === null ? {} : { line: row.line }),
    ...(row.failure === null
      ? row.skipReason === null
        ? {}
        : { message: row.skipReason }
      : { message: row.failure.message, trace: row.failure.trace }),
    ...(row.stdout === '' ? {} : { stdout: row.stdout.split('\n') }),
    ...(row.stderr === '' ? {} : { stderr: row.stderr.split('\n') }),
    extra: { id: row.id, ...(row.failure === null ? {} : { exception: row.failure.type }) },
  };
}

function statusOf(status: Row['status']): CtrfStatus {
  switch (status) {
    case 'passed':
      return 'passed';
    case 'failed':
    case 'error':
    case 'missing':
    case 'problem':
    case 'verdict':
      return 'failed';
    case 'skipped':
      return 'skipped';
    case 'xfailed':
    case 'xpassed':
      return 'other';
  }
}

function factsOf(report: Report): Record<string, unknown> {
  const { schema, verdict, reason, judge, command, integrity, exit, usage, enforcement, warnings } = report;
  return { schema, verdict, reason, judge, command, integrity, exit, usage, enforcement, warnings };
}

/** The URL namespace of RFC 9562, appendix C. */
const urlNamespace = Buffer.from('6ba7b8119dad11d180b400c04fd430c8', 'hex');

/** A version 5 UUID (RFC 9562): the format wants a UUID as test id, and the same one in every run. */
function stableUuid(id: string): string {
  const hash = createHash('sha1').update(urlNamespace).update(`assay:test:${id}`).digest();
  hash[6] = ((hash[6] ?? 0) & 0x0f) | 0x50;
  hash[8] = ((hash[8] ?? 0) & 0x3f) | 0x80;
  return hash
    .toString('hex')
    .slice(0, 32)
    .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

/** Replaces lone surrogates, in keys too, by U+FFFD: `JSON.stringify` would write escapes that not every reader takes. */
function wellFormed<T>(value: T): T {
  if (typeof value === 'string') return value.toWellFormed() as T;
  if (Array.isArray(value)) return value.map(wellFormed) as T;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key.toWellFormed(), wellFormed(inner)]),
  ) as T;
}
