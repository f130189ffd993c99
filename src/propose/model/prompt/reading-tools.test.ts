import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { scrub } from '../../../store/index.ts';
import { madeTools } from '../proposer.fixture.ts';
import { fenceFor } from './fence.ts';
import { type ReadingLimits, readerOf } from './reading-tools.ts';

const files: Record<string, string> = {
  'src/a.py': 'def a():\n    return total(1)\n',
  'src/deep/b.py': Array.from({ length: 2000 }, (_, index) => `line_${index + 1} = ${index}`).join('\n'),
  'README.md': 'Total of everything\n',
  '.env': 'LOGIN=only-in-the-env-file\n',
  'settings.txt': 'KEY=hunter2-long-secret-value\nother\n',
};
const fence = fenceFor(['x']);

function reader(given: Partial<ReadingLimits> = {}) {
  const clean = (text: string) => scrub(text, [{ name: 'KEY', value: 'hunter2-long-secret-value' }]).text;
  const limits = { answers: 5, charsPerAnswer: 4000, ...given };
  return readerOf({ tools: madeTools({ files }), fence, clean, limits });
}

const ask = (name: string, input: unknown, limits: Partial<ReadingLimits> = {}) =>
  reader(limits).answer({
    id: '1',
    name,
    input: typeof input === 'string' ? input : JSON.stringify(input),
  }) ?? 'no such tool';

describe('read_file', () => {
  it('shows a file, or the lines that are asked for', () => {
    expect(ask('read_file', { path: './src/a.py' })).toBe(
      fence.block('file src/a.py, lines 1-2 of 2', '1 | def a():\n2 |     return total(1)\n'),
    );
    expect(ask('read_file', { path: 'src/deep/b.py', from: 1999, to: 5000 })).toContain(
      '1999 | line_1999 = 1998\n2000 |',
    );
  });

  it('stops at its cap and says where to go on', () => {
    const answer = ask('read_file', { path: 'src/deep/b.py' });
    expect(answer.length).toBeLessThan(4300);
    const next = Number(/lines from (\d+) on/.exec(answer)?.[1]);
    expect(answer).toContain(`line_${next - 1} =`);
    expect(answer).not.toContain(`line_${next} =`);
  });

  it.each([
    [{ path: 'tests/held_out.py' }, 'no readable text file'],
    [{ path: '/etc/passwd' }, 'no readable text file'],
    [{ path: '../x' }, 'no readable text file'],
    [{ path: '__proto__' }, 'no readable text file'],
    [{ path: 'lib/a.py' }, 'There is src/a.py'],
    [{ path: 'src/a.py', from: 9 }, '2 lines only'],
    [{ path: 'src/a.py', from: 2, to: 1 }, 'comes before'],
    [{}, 'path: '],
    ['not json', 'arguments are wrong'],
  ])('explains %j', (input, part) => {
    expect(ask('read_file', input)).toContain(part);
  });

  it('takes secrets out', () => {
    expect(ask('read_file', { path: 'settings.txt' })).toContain('KEY=[scrubbed:KEY]');
  });
});

describe('search', () => {
  it('finds plain text and patterns, in the files of a glob', () => {
    expect(ask('search', { text: 'total(' })).toContain('src/a.py:2:     return total(1)');
    expect(ask('search', { regex: '[Tt]otal' })).toContain('2 lines in 2 files');
    expect(ask('search', { regex: '[Tt]otal', glob: '**/*.py', text: null })).toContain('1 line in 1 file');
    expect(ask('search', { text: 'nowhere' })).toContain('0 lines in 0 files');
  });

  it('cuts many hits', () => {
    const answer = ask('search', { text: 'line_' });
    expect(answer).toContain('2000 lines in 1 file');
    expect(answer).toContain('and more: narrow the search');
    expect(answer.length).toBeLessThan(4300);
  });

  it('says nothing of a file with credentials', () => {
    expect(ask('read_file', { path: '.env' })).toContain('no readable text file');
    expect(ask('search', { text: 'only-in-the-env-file' })).toContain('0 lines in 0 files');
    expect(ask('list_files', {})).not.toContain('.env');
  });

  it.each([{ text: 'hunter2' }, { regex: '^KEY=h' }, { regex: '^KEY=.{25}$' }])(
    'does not tell by what it counts whether a secret matches %j',
    (input) => {
      expect(ask('search', { ...input, glob: 'settings.txt' })).toContain('0 lines in 0 files');
    },
  );

  it('tells no secret', () => {
    expect(ask('search', { text: 'hunter2' })).not.toContain('src');
    expect(ask('search', { text: 'KEY' })).toContain('settings.txt:1: KEY=[scrubbed:KEY]');
  });

  it('stops a pattern that would take for ever', () => {
    const evil = { 'a.txt': `${'a'.repeat(60)}b\n` };
    const { answer } = readerOf({ tools: madeTools({ files: evil }), fence, clean: (text) => text });
    // Ends at all: unstopped, this takes 2^60 steps.
    expect(answer({ id: '1', name: 'search', input: '{"regex": "^(a+)+$"}' })).toContain('takes too long');
  });

  it.each([
    [{}, 'Give text or regex'],
    [{ regex: '(' }, 'cannot be read'],
    [{ regex: 'x'.repeat(301) }, 'longer than'],
    [{ text: 'x', glob: '*'.repeat(301) }, 'longer than'],
  ])('explains %j', (input, part) => {
    expect(ask('search', input)).toContain(part);
  });
});

describe('list_files', () => {
  it('lists all, or those of a glob', () => {
    expect(ask('list_files', '')).toContain('README.md\nsettings.txt\nsrc/a.py\nsrc/deep/b.py\n');
    expect(ask('list_files', { glob: 'src/*' })).toBe(fence.block('1 file', 'src/a.py'));
  });
});

describe('readerOf', () => {
  it('answers so often and no more', () => {
    const one = reader({ answers: 2 });
    const call = { id: '1', name: 'list_files', input: '{}' };
    const answers = [1, 2, 3].map(() => one.answer(call));
    expect(answers[1]).toContain('README.md');
    expect(answers[2]).toContain('propose the patch now');
    expect(one.left).toBe(0);
  });

  it('knows no other tool', () => {
    for (const name of ['write_file', 'constructor', '__proto__', '']) {
      expect(reader().answer({ id: '1', name, input: '{}' })).toBeNull();
    }
  });

  it('never throws and never goes over its cap, whatever is asked', () => {
    const textArb = fc.oneof(
      fc.constantFrom('src/a.py', '*', '**/*', '[', '(', '{a,b}', '!x', '\\'),
      fc.string({ maxLength: 12 }),
    );
    const input = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 60 }),
      fc.json(),
      fc
        .record(
          {
            path: textArb,
            text: fc.option(textArb),
            glob: fc.option(textArb),
            from: fc.integer(),
            to: fc.integer(),
          },
          { requiredKeys: [] },
        )
        .map((value) => JSON.stringify(value)),
      fc
        .record({ regex: fc.constantFrom('a*', '(?<x>.)', '\\', '[a', '.{0,5}', '$^') })
        .map((value) => JSON.stringify(value)),
    );
    fc.assert(
      fc.property(fc.constantFrom('read_file', 'search', 'list_files'), input, (name, text) => {
        expect(ask(name, text).length).toBeLessThan(4700);
      }),
      { numRuns: 500 },
    );
  });
});
