import { describe, expect, it } from 'vitest';
import type { TestResult } from '../../core/index.ts';
import { indexFile } from './analysis/file-index.ts';
import { python } from './languages/python.ts';
import { distrust, literalsOfTests, rank, sizeOf } from './rank.ts';
import type { Suggestion } from './stream.ts';
import { openParser } from './syntax/parser.ts';
import { parseFile } from './syntax/source-file.ts';
import type { Trait } from './templates/template.ts';

const source = 'def f(a, b):\n    c = a < b\n    return c + 1\n';
const context = { testLiterals: new Set(['42']) };

type Made = {
  from?: string;
  to?: string;
  prior?: number;
  traits?: Trait[];
  weight?: number;
  template?: string;
};

async function made({ from = '<', to = '<=', prior = 0.5, traits = [], weight = 1, template = 't' }: Made) {
  const parser = await openParser(python);
  const index = indexFile(parseFile('a.py', source, parser));
  parser.close();
  const start = source.indexOf(from);
  const site = index.sites.filter(({ node }) => node.start <= start && start < node.end).at(-1);
  if (site === undefined) throw new Error(`no ${from}`);
  const rewrite = {
    splices: [{ start, end: start + from.length, text: to }],
    template,
    prior,
    what: to,
    traits,
  };
  const suggestion: Suggestion = {
    index,
    site,
    suspicion: { ochiai: weight, weight, failing: 1 },
    rewrite,
    score: 1,
  };
  return suggestion;
}

describe('distrust', () => {
  const points = async (one: Made) => distrust(await made(one), context);

  it('grows with size, and falls with the prior and the suspicion', async () => {
    const plain = await points({});
    expect(await points({ to: '<= a or not b <' })).toBeGreaterThan(plain);
    expect(await points({ prior: 0.9 })).toBeLessThan(plain);
    expect(await points({ weight: 0.3 })).toBeGreaterThan(plain);
  });

  it('puts a deletion after everything, and what is constant or unwrapped after what is not', async () => {
    const plain = await points({});
    const unwraps = await points({ traits: ['unwraps'] });
    const constant = await points({ traits: ['constant'] });
    expect([plain, unwraps, constant, await points({ traits: ['deletes'] })]).toEqual(
      [await points({ traits: ['deletes'] }), constant, plain, unwraps].sort((a, b) => a - b),
    );
  });

  it('holds it against a patch that it copies a literal from a failing test', async () => {
    const one = { from: 'c + 1' };
    expect(await points({ ...one, to: '42' })).toBeGreaterThan((await points({ ...one, to: '41' })) + 3);
  });
});

describe('rank', () => {
  it('prefers, after the first, another place and another kind', async () => {
    const first = await made({ prior: 0.9, template: 'comparison' });
    const alike = await made({ to: '>', prior: 0.8, template: 'comparison' });
    const index = first.index;
    const other = { ...(await made({ from: '1', to: '2', prior: 0.5, template: 'off_by_one' })), index };
    const same = { ...alike, site: first.site };
    expect(rank([same, other, first], context)).toEqual([first, other, same]);
  });
});

describe('literalsOfTests', () => {
  it('takes numbers of two digits and more and quoted texts from the messages', () => {
    const failure = {
      type: 'AssertionError',
      message: "assert 'gold' == 'basic' and 128 == 7",
      trace: '',
      frames: [],
    };
    const found = literalsOfTests([{ failure } as unknown as TestResult]);
    expect([...found].sort()).toEqual(['128', 'basic', 'gold']);
  });
});

describe('sizeOf', () => {
  it('counts tokens taken out and put in', async () => {
    expect(sizeOf(await made({}))).toBe(1);
    expect(sizeOf(await made({ from: 'c + 1', to: 'c' }))).toBe(2);
    expect(sizeOf(await made({ from: 'a < b', to: 'b < a' }))).toBe(4);
  });
});
