import { describe, expect, it } from 'vitest';
import { blockFormat, editsFromText } from './edits-from-text.ts';

const replace = (path: string, search: string, replacement: string) => ({
  op: 'replace',
  path,
  search,
  replace: replacement,
});

const block = (search: string, replacement: string) =>
  `<<<<<<< SEARCH\n${search}=======\n${replacement}>>>>>>> REPLACE\n`;

function edits(text: string) {
  const parsed = editsFromText(text);
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.refusals));
  return parsed.edits;
}

function problem(text: string): string {
  const parsed = editsFromText(text);
  if (parsed.ok) throw new Error('it was read');
  expect(parsed.refusals.map(({ code }) => code)).toEqual(['malformed']);
  return parsed.refusals[0]?.message ?? '';
}

describe('editsFromText', () => {
  it('reads its own format', () => {
    expect(edits(blockFormat)).toEqual([
      replace('path/to/file', 'lines as they are in the file\n', 'lines as they should be\n'),
    ]);
  });

  it.each([
    ['bare', `src/a.py\n${block('x\n', 'y\n')}`],
    ['fenced under the path', `src/a.py\n\`\`\`python\n${block('x\n', 'y\n')}\`\`\`\n`],
    ['fenced with the path', `\`\`\`python\nsrc/a.py\n${block('x\n', 'y\n')}\`\`\`\n`],
    ['path in the fence', `\`\`\`src/a.py\n${block('x\n', 'y\n')}\`\`\`\n`],
    ['language and path in the fence', `\`\`\`python:src/a.py\n${block('x\n', 'y\n')}\`\`\`\n`],
    ['path in the marker', `<<<<<<< SEARCH src/a.py\nx\n=======\ny\n>>>>>>> REPLACE`],
    ['bold', `**src/a.py**\n\n${block('x\n', 'y\n')}`],
    ['bold with a colon', `**src/a.py:**\n${block('x\n', 'y\n')}`],
    ['heading in backquotes', `### \`src/a.py\`\n\n${block('x\n', 'y\n')}`],
    ['label', `File: src/a.py\n${block('x\n', 'y\n')}`],
    ['list item', `1. \`./src/a.py\`:\n${block('x\n', 'y\n')}`],
    ['CRLF', `src/a.py\n${block('x\n', 'y\n')}`.replaceAll('\n', '\r\n')],
    ['five marks', 'src/a.py\n<<<<< SEARCH\nx\n=====\ny\n>>>>> REPLACE'],
    ['divider of another width', 'src/a.py\n<<<<<<< SEARCH\nx\n========\ny\n>>>>>>>> REPLACE'],
  ])('finds the path: %s', (_, text) => {
    expect(edits(text)).toEqual([replace('src/a.py', 'x\n', 'y\n')]);
  });

  it('reads several blocks and files, and keeps the prose', () => {
    const text = `The bug is in two places.\n\na.py\n${block('x\n', 'y\n')}And also:\n${block('u\n', '')}\nb c.md stays. Now:\n\n\`b c.md\`\n${block('', 'new\n')}Done.`;
    const parsed = editsFromText(text);
    expect(parsed).toEqual({
      ok: true,
      edits: [
        replace('a.py', 'x\n', 'y\n'),
        replace('a.py', 'u\n', ''),
        { op: 'create', path: 'b c.md', content: 'new\n' },
      ],
      prose: 'The bug is in two places.\n\nAnd also:\n\nb c.md stays. Now:\n\nDone.',
    });
  });

  it('reads create, delete and rename', () => {
    const text =
      'a\n<<<<<<< CREATE\none\n\ntwo\n>>>>>>> CREATE\nb\n<<<<<<< DELETE\n>>>>>>> DELETE\nc\n<<<<<<< RENAME\nlib/d\n>>>>>>> RENAME\n';
    expect(edits(text)).toEqual([
      { op: 'create', path: 'a', content: 'one\n\ntwo\n' },
      { op: 'delete', path: 'b' },
      { op: 'rename', path: 'c', to: 'lib/d' },
    ]);
  });

  it('keeps marker lines in texts when the markers of the block are longer', () => {
    const text =
      'README.rst\n<<<<<<<<< SEARCH\nTitle\n=======\n=========\nHeading\n=======\n>>>>>>>>> REPLACE';
    expect(edits(text)).toEqual([replace('README.rst', 'Title\n=======\n', 'Heading\n=======\n')]);
  });

  it('reads a diff when there are no blocks', () => {
    const text =
      'Here is the fix:\n\n```diff\n--- a/a.py\n+++ b/a.py\n@@ -1,2 +1,2 @@\n x\n-y\n+z\n```\nThat is all.';
    expect(editsFromText(text)).toMatchObject({
      ok: true,
      edits: [replace('a.py', 'x\ny\n', 'x\nz\n')],
      prose: 'Here is the fix:',
    });
  });

  it.each([
    ['nothing at all', 'I cannot fix this.', 'holds no edit'],
    ['no path', block('x\n', 'y\n'), 'No path'],
    ['prose in place of a path', `Change this line\n${block('x\n', 'y\n')}`, 'No path'],
    ['no divider', 'a\n<<<<<<< SEARCH\nx\n>>>>>>> REPLACE', 'no ======= line'],
    ['several dividers', `a\n${block('x\n=======\n', 'y\n')}`, 'several ======= lines'],
    ['no end', 'a\n<<<<<<< SEARCH\nx\n=======\ny\n', 'never closed'],
    [
      'a block in a block',
      `a\n<<<<<<< SEARCH\nx\n=======\n${block('x\n', 'y\n')}`,
      'not closed before the next',
    ],
    ['a rename to nowhere', 'a\n<<<<<<< RENAME\n>>>>>>> RENAME', 'the new path'],
  ])('says what is wrong: %s', (_, text, message) => {
    expect(problem(text)).toContain(message);
  });
});
