import { describe, expect, it } from 'vitest';
import type { RepairResult } from '../core/index.ts';
import { madeSpec } from '../loop/index.ts';
import { type NextOptions, nextSteps, withAdvice } from './next-steps.ts';

const statuses = [
  'done',
  'already_green',
  'stuck',
  'budget_exhausted',
  'unpatchable',
  'tampered',
  'environment_error',
  'aborted',
  'running',
  'error',
];

const result = (options: Partial<RepairResult>): RepairResult => ({
  schema: 'assay-fix/1',
  run: 'fix-1',
  status: 'stuck',
  reason: 'none passes',
  fix: null,
  rounds: 0,
  patch: null,
  bestEffort: false,
  motivation: null,
  alternatives: [],
  tests: null,
  flaky: [],
  holdout: null,
  confirmations: 0,
  usage: { tokens: 0, costUsd: 0, candidates: 0, wallMs: 0 },
  enforcement: null,
  warnings: [],
  dir: '/runs/fix-1',
  ...options,
});

const next = (options: Partial<RepairResult>, others: Partial<NextOptions> = {}) =>
  nextSteps({
    result: result(options),
    spec: madeSpec({ proposer: 'search', dir: '/no/such/project' }),
    env: {},
    cwd: '/',
    framework: 'pytest',
    ...others,
  });

describe('nextSteps', () => {
  it.each(statuses)('says something at the end %s', (status) => {
    expect(next({ status })[0]).toMatch(/\S/);
  });

  it('says how to ask a model where the search alone is stuck', () => {
    expect(next({})[0]).toMatch(
      /^--model search,PROVIDER\/MODEL .*ANTHROPIC_API_KEY.*--base-url.*docs\/fix\.md/,
    );
    expect(next({}, { env: { OPENAI_API_KEY: 'x' } })[0]).toMatch(/^--model search,openai\//);
  });

  it('says that the search repairs Python only', () => {
    const [step] = next({}, { framework: 'node-test' });
    expect(step).toMatch(/^the search repairs Python only: --model PROVIDER\/MODEL/);
    const keyed = next({}, { framework: 'node-test', env: { OPENAI_API_KEY: 'x' } });
    expect(keyed[0]).toMatch(/^the search repairs Python only: --model openai\/\S+ lets a model repair it/);
  });

  it.each(['openai/gpt-x', 'search,openai/gpt-x'])('names another model where %s was stuck', (proposer) => {
    expect(next({}, { spec: madeSpec({ proposer }) })[0]).toMatch(/^another model/);
  });

  it('says to record anew where a recording was all there was', () => {
    expect(next({}, { spec: madeSpec({ proposer: 'replay:/a/said.jsonl' }) })[0]).toMatch(
      /^record anew, --model PROVIDER\/MODEL --record FILE/,
    );
  });

  it('tells of a file that no patch could be made to', () => {
    const warnings = ['shop.py is not UTF-8: it is run as it is'];
    expect(next({ warnings })[0]).toMatch(/^save as UTF-8/);
  });

  it('gives a program the first step where the loop knows no remedy', () => {
    const stuck = result({});
    expect(withAdvice(stuck, ['one', 'two']).fix).toBe('one');
    expect(withAdvice(result({ fix: 'more' }), ['one']).fix).toBe('more');
    expect(withAdvice(result({ status: 'done' }), ['assay apply'])).toMatchObject({ fix: null });
  });

  it('names the best patch last', () => {
    expect(next({ patch: 'diff', status: 'budget_exhausted', fix: 'more' })).toEqual([
      'more',
      expect.stringContaining('assay show fix-1 --patch'),
    ]);
  });
});
