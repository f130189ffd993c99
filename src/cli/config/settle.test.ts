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
    const user = { rounds: 1, timeout: 1, model: 'a/a' };
    const project = { rounds: 2, timeout: 2 };
    expect(settle({ given: { rounds: 3 }, project, user })).toMatchObject({
      rounds: 3,
      timeout: 2,
      model: 'a/a',
    });
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
