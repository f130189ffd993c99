import { describe, expect, it } from 'vitest';
import type { TestResult } from '../../core/index.ts';
import { hintsOf } from './hints.ts';
import { python } from './languages/python.ts';
import { templates } from './templates/index.ts';

const failing = (type: string, message: string) =>
  [{ failure: { type, message, trace: '', frames: [] } }] as unknown as TestResult[];

const factors = (type: string, message: string) => hintsOf(failing(type, message), [python]);

describe('hintsOf', () => {
  it.each([
    ['KeyError', "'price'", 'lookups'],
    ['ZeroDivisionError', 'division by zero', 'guards'],
    ['AttributeError', "'NoneType' object has no attribute 'x'", 'clauses'],
    ['TypeError', 'f() missing 1 required positional argument', 'arguments'],
    ['UnboundLocalError', "cannot access local variable 'n'", 'insertions'],
    ['IndexError', 'list index out of range', 'off_by_one'],
  ])('raises what repairs a %s', (type, message, template) => {
    expect(factors(type, message).get(template)).toBeGreaterThan(1);
  });

  it('says nothing about a plain failed assertion', () => {
    expect(factors('AssertionError', 'assert 1 == 2').size).toBe(0);
  });

  it('names only templates there are', () => {
    const ids = new Set(templates.map(({ id }) => id));
    const named = python.hints.flatMap(({ raises }) => Object.keys(raises));
    expect(named.filter((id) => !ids.has(id))).toEqual([]);
  });
});
