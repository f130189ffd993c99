import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AssayError } from '../../core/index.ts';
import { parseTask } from './task.ts';

const partsOf = (text: string) =>
  parseTask(text).subtasks.map(({ id, title, prompt }) => [id, title, prompt]);

describe('parseTask', () => {
  it('takes a text without headings, or with one, as one task', () => {
    expect(partsOf('  What is the mean?\r\n')).toEqual([['1-the-task', 'The task', 'What is the mean?']]);
    expect(partsOf('# Prices\n\nWhat is the mean?')).toEqual([
      ['1-prices', 'Prices', '# Prices\n\nWhat is the mean?'],
    ]);
  });

  it('takes several headings of one level as subtasks, and tells all of them the whole task', () => {
    const text =
      '# Prices\n\nData in prices.csv.\n\n## Explore\n\nLook.\n\n### Detail\nmore\n\n## Mean price\n\nThe mean?\n';
    expect(partsOf(text)).toEqual([
      ['1-explore', 'Explore', 'Look.\n\n### Detail\nmore'],
      ['2-mean-price', 'Mean price', 'The mean?'],
    ]);
    expect(parseTask(text).task).toContain('Data in prices.csv.');
  });

  it('sees no heading in fenced code, and none without a text below it', () => {
    expect(partsOf('Do it:\n\n```python\n# one\n# two\n```\n')).toHaveLength(1);
    expect(partsOf('# A\ntext\n# Empty\n\n# B\nmore')).toEqual([
      ['1-a', 'A', 'text'],
      ['2-b', 'B', 'more'],
    ]);
  });

  it.each(['', ' \n\t\n', '\uFEFF', '# Only\n\n## Headings\n'])(
    'refuses %j, which says nothing to do',
    (text) => {
      const thrown = (() => {
        try {
          return parseTask(text, { file: 'TASK.md' });
        } catch (error) {
          return error;
        }
      })();
      expect(AssayError.is(thrown) && [thrown.code, thrown.message]).toEqual([
        'usage',
        'TASK.md says nothing to do',
      ]);
    },
  );

  it('gives unique ids and loses no word of the task, whatever the text', () => {
    const line = fc.oneof(fc.string(), fc.constantFrom('# A', '## A', '# B', '```', '~~~', 'text'));
    fc.assert(
      fc.property(fc.array(line), (lines) => {
        const text = `${lines.join('\n')}\nend`;
        const { task, subtasks } = parseTask(text);
        expect(task).toContain('end');
        expect(new Set(subtasks.map(({ id }) => id)).size).toBe(subtasks.length);
        for (const { prompt } of subtasks) expect(task.includes(prompt)).toBe(true);
      }),
    );
  });
});
