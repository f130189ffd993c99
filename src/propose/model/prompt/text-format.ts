import type { Edit } from '../../../core/index.ts';

/**
 * Edits as the fenced text that `editsFromText` reads. Texts are told by whole lines: one without a final newline
 * comes back with it. `occurrence` has no place in this form.
 */
export function formatEdits(edits: readonly Edit[]): string {
  return edits.map(formatEdit).join('\n');
}

function formatEdit(edit: Edit): string {
  const path = /\s/.test(edit.path) ? `\`${edit.path}\`` : edit.path;
  return `${path}\n${blockOf(edit)}`;
}

function blockOf(edit: Edit): string {
  switch (edit.op) {
    case 'replace': {
      const marks = markers([edit.search, edit.replace]);
      return `${marks('<')} SEARCH\n${lined(edit.search)}${marks('=')}\n${lined(edit.replace)}${marks('>')} REPLACE\n`;
    }
    case 'create':
      return `${markers([edit.content])('<')} CREATE\n${lined(edit.content)}${markers([edit.content])('>')} CREATE\n`;
    case 'delete':
      return '<<<<<<< DELETE\n>>>>>>> DELETE\n';
    case 'rename':
      return `<<<<<<< RENAME\n${/\s/.test(edit.to) ? `\`${edit.to}\`` : edit.to}\n>>>>>>> RENAME\n`;
  }
}

/** Markers longer than any run of their characters in the texts. */
function markers(texts: readonly string[]): (char: string) => string {
  const runs = texts.flatMap((text) => text.match(/(?:^|\n) {0,3}(?:<+|=+|>+)/g) ?? []);
  const longest = Math.max(6, ...runs.map((run) => run.trim().length));
  return (char) => char.repeat(longest + 1);
}

const lined = (text: string): string => (text === '' || text.endsWith('\n') ? text : `${text}\n`);
