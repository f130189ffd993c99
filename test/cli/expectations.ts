import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'vitest';
import {
  type ErrorResult,
  errorResultSchema,
  type RepairResult,
  type Report,
  repairResultSchema,
  reportSchema,
} from '../../src/core/index.ts';
import type { Ended } from './process.ts';

/** What a command that could not begin says: one object on stdout, and on stderr its sentences in their order. */
export function expectError({ code, stdout, stderr }: Ended, exitCode: number): ErrorResult['error'] {
  expect(code, stderr).toBe(exitCode);
  const { error } = errorResultSchema.parse(JSON.parse(stdout));
  const at = [
    /^assay: \S.*[.?!]$/m,
    ...(error.because === null ? [] : [/^ {2}because: \S/m]),
    /^ {2}fix: \S/m,
  ].map((sentence) => stderr.search(sentence));
  expect(at, stderr).toEqual(at.filter((place) => place >= 0).toSorted((a, b) => a - b));
  expect(stderr).not.toMatch(/^ +at /m);
  return error;
}

export function resultOf({ stdout }: Ended): RepairResult {
  return repairResultSchema.parse(JSON.parse(stdout));
}

/** A run that could not be done: its end, a sentence and what to do in the result, and the same on stderr. */
export function expectCannotRun(ended: Ended): RepairResult {
  expect(ended.code, ended.stderr).toBe(7);
  const result = resultOf(ended);
  expect(result).toMatchObject({
    status: 'environment_error',
    patch: null,
    fix: expect.stringMatching(/\S/),
  });
  expect(ended.stderr).toContain(`cannot run the tests: ${result.reason.split('\n')[0]}`);
  expect(ended.stderr).toContain(`  fix: ${result.fix}`);
  return result;
}

export function reportOf(ended: Ended, exitCode: number): Report {
  expect(ended.code, ended.stderr).toBe(exitCode);
  return reportSchema.parse(JSON.parse(ended.stdout));
}

/** The runs of a home, by the names of their folders. */
export const runsIn = (home: string) =>
  existsSync(path.join(home, 'runs')) ? readdirSync(path.join(home, 'runs')) : [];
