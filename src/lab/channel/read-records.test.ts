import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { result } from '../evidence.fixture.ts';
import { readRecords } from './read-records.ts';

const nonce = 'n0nce';

/** The bytes an honest runner sends for these records, the closing one included. */
function lines(records: Record<string, unknown>[], exit = 0): string[] {
  const sent = records.map((record, i) => `${JSON.stringify({ ...record, n: nonce, i })}\n`);
  const digest = createHash('sha256').update(nonce).update(sent.join('')).digest('hex');
  const end = { t: 'end', count: sent.length, digest, exit, n: nonce, i: sent.length };
  return [...sent, `${JSON.stringify(end)}\n`];
}

const honest = [
  { t: 'start', framework: 'pytest', version: '9', runtime: 'Python' },
  { t: 'collected', ids: ['a', 'b'], skipped: ['b'], xfailed: [], file: null },
  { t: 'collected', ids: ['c'], skipped: [], xfailed: [], file: 'c.py' },
  { t: 'test', test: result('a') },
  { t: 'canary', id: 'x', outcome: 'failed', detail: '' },
  { t: 'note', text: 'by the way' },
];
const read = (text: string) => readRecords({ bytes: Buffer.from(text), nonce });
const sent = lines(honest);

describe('reading the private channel', () => {
  it('sorts what an honest runner sends', () => {
    expect(read(sent.join(''))).toEqual({
      started: { framework: 'pytest', version: '9', runtime: 'Python' },
      collected: { ids: ['a', 'b'], skipped: ['b'], xfailed: [], partial: [{ file: 'c.py', ids: ['c'] }] },
      tests: [result('a')],
      duplicates: [],
      canaries: [{ id: 'x', outcome: 'failed', detail: '' }],
      problems: [],
      notes: ['by the way'],
      byteCode: [],
      unable: null,
      completed: true,
      announcedExit: 0,
      irregularities: [],
    });
  });

  it('is not complete when cut anywhere, and a cut is no irregularity', () => {
    const bytes = Buffer.from(sent.join(''));
    for (let at = 0; at < bytes.length; at += 7) {
      const cut = readRecords({ bytes: bytes.subarray(0, at), nonce });
      expect([cut.completed, cut.irregularities]).toEqual([false, []]);
    }
  });

  it.each([
    ['a line that is no record', ['hello\n', ...sent]],
    ['a record with another nonce', [`${JSON.stringify({ ...honest[3], n: 'guess', i: 3 })}\n`, ...sent]],
    ['a record without a nonce', [...sent.slice(0, 4), `${JSON.stringify(honest[3])}\n`, ...sent.slice(4)]],
    ['a record taken out', sent.filter((_, n) => n !== 3)],
    ['a record repeated', [...sent.slice(0, 4), sent[3] ?? '', ...sent.slice(4)]],
    ['two records exchanged', [sent[0] ?? '', sent[2] ?? '', sent[1] ?? '', ...sent.slice(3)]],
    ['a changed record', sent.map((line) => line.replace('"status":"passed"', '"status":"failed"'))],
    ['a record after the end', [...sent, sent[3] ?? '']],
    ['an unfinished record after the end', [...sent, 'x']],
    ['no start', lines(honest.slice(1))],
    ['two starts', lines([...honest, honest[0] ?? {}])],
    ['deep nesting', [`${'['.repeat(200_000)}\n`, ...sent]],
  ])('notices %s', (_, changed) => {
    expect(read(changed.join('')).irregularities.length).toBeGreaterThan(0);
  });

  it('names ids that come twice in honest records', () => {
    const twice = [...honest, { t: 'test', test: result('a', 'failed') }];
    expect(read(lines(twice).join(''))).toMatchObject({
      duplicates: ['a'],
      tests: [{ status: 'passed' }],
      completed: true,
    });
  });

  it('never throws and never completes on bytes it did not ask for', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), fc.nat(sent.length), (noise, at) => {
        const bytes = Buffer.concat([
          Buffer.from(sent.slice(0, at).join('')),
          noise,
          Buffer.from('\n'),
          Buffer.from(sent.slice(at).join('')),
        ]);
        expect(readRecords({ bytes, nonce }).irregularities.length).toBeGreaterThan(0);
      }),
    );
  });
});
