import { describe, expect, it } from 'vitest';
import { modelSettingsOf, settle } from './index.ts';

const nothing = { given: {}, project: {}, user: {} };

describe('settle', () => {
  it('has defaults', () => {
    const settled = settle(nothing);
    expect(settled).toMatchObject({ model: 'search', rounds: 5, timeout: 600, protect: [], prices: {} });
    expect(settled.maxCost).toBeUndefined();
    expect(modelSettingsOf(settled)).toEqual({
      baseUrl: null,
      transport: 'auto',
      prices: {},
      contextTokens: null,
      maxOutputTokens: 16_000,
    });
  });

  it('lets the command line go before the project, and the project before the user', () => {
    const user = { perTest: 1, testTimeout: 1, model: 'a/a' };
    const project = { perTest: 2, testTimeout: 2 };
    expect(settle({ given: { perTest: 3 }, project, user })).toMatchObject({
      perTest: 3,
      testTimeout: 2,
      model: 'a/a',
    });
  });

  const names = ['rounds', 'timeout', 'maxTokens', 'maxCost', 'maxOutputTokens', 'contextTokens'] as const;
  it.each(names)('lets a project lower %s and never raise it; the command line may', (name) => {
    const of = (project: number, user: number, given = {}) =>
      settle({ given, project: { [name]: project }, user: { [name]: user } })[name];
    expect(of(3, 4)).toBe(3);
    expect(of(9, 4)).toBe(4);
    expect(of(9, 4, { [name]: 12 })).toBe(12);
    expect(settle({ given: {}, project: {}, user: { [name]: 4 } })[name]).toBe(4);
  });

  it('lets no project raise a default, or what a known model takes at its price', () => {
    const project = { rounds: 99, timeout: 9e9, maxOutputTokens: 9e9, contextTokens: 9e9 };
    const model = 'anthropic/claude-sonnet-4-5';
    const { rounds, timeout, maxOutputTokens, contextTokens } = settle({
      given: { model },
      project,
      user: {},
    });
    expect({ rounds, timeout, maxOutputTokens }).toEqual({
      rounds: 5,
      timeout: 600,
      maxOutputTokens: 16_000,
    });
    expect(contextTokens).toBeLessThan(9e9);
  });

  it('does not let an option that was not given take a value away', () => {
    const given = { rounds: undefined, maxCost: undefined };
    expect(settle({ given, project: { rounds: 2 }, user: { maxCost: 1 } })).toMatchObject({
      rounds: 2,
      maxCost: 1,
    });
  });

  it('adds up the globs of all', () => {
    const settled = settle({
      given: { protect: ['c'] },
      project: { protect: ['b'] },
      user: { protect: ['a'] },
    });
    expect(settled.protect).toEqual(['a', 'b', 'c']);
  });

  it.each([
    [{ maxCost: 100 }, { maxCost: 1 }, 1],
    [{ maxCost: 0.5 }, { maxCost: 1 }, 0.5],
    [{ maxCost: 100 }, {}, 100],
    [{}, { maxCost: 1 }, 1],
  ])(
    'takes the lower limit of project %j and user %j, and of the command line whatever it says',
    (project, user, limit) => {
      expect(settle({ given: {}, project, user }).maxCost).toBe(limit);
      expect(settle({ given: { maxCost: 7 }, project, user }).maxCost).toBe(7);
    },
  );

  it('takes no price of a project where the user or the table has one', () => {
    const free = { input: 0, output: 0 };
    const mine = { input: 2, output: 3 };
    const project = {
      prices: { 'openai/gpt-4o': free, 'openai-compatible/mine': free, 'openai-compatible/theirs': free },
    };
    const { prices } = settle({ given: {}, project, user: { prices: { 'openai-compatible/mine': mine } } });
    expect(prices).toEqual({ 'openai-compatible/mine': mine, 'openai-compatible/theirs': free });
  });

  it('takes no price of a project where the user has one by family', () => {
    const free = { input: 0, output: 0 };
    const mine = { input: 2, output: 3 };
    const project = { prices: { 'openai-compatible/mine-2025-01-01': free } };
    const { prices } = settle({ given: {}, project, user: { prices: { 'openai-compatible/mine': mine } } });
    expect(prices).toEqual({ 'openai-compatible/mine': mine });
  });

  it('takes no price of a project where anyone else limits the cost', () => {
    const project = { maxCost: 1, prices: { 'openai-compatible/x': { input: 0, output: 0 } } };
    expect(settle({ given: { maxCost: 1 }, project, user: {} }).prices).toEqual({});
    expect(settle({ given: {}, project, user: { maxCost: 1 } }).prices).toEqual({});
    expect(settle({ given: {}, project, user: {} }).prices).toEqual(project.prices);
  });

  it('takes the base URL from the command line, the environment, the user, in this order', () => {
    const user = { baseUrl: 'http://user' };
    const url = (given: { baseUrl?: string }, envBaseUrl?: string, model = 'openai-compatible/x') =>
      settle({ given: { ...given, model }, project: {}, user, envBaseUrl }).baseUrl;
    expect(url({ baseUrl: 'http://flag' }, 'http://env')).toBe('http://flag');
    expect(url({}, 'http://env')).toBe('http://env');
    expect(url({}, '')).toBe('http://user');
    // Another provider's key must not follow it.
    expect(url({}, 'http://env', 'anthropic/y')).toBeNull();
    expect(url({ baseUrl: 'http://flag' }, '', 'anthropic/y')).toBe('http://flag');
  });
});
