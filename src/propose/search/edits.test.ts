import { describe, expect, it } from 'vitest';
import { planEdits } from '../../patch/index.ts';
import { indexFile } from './analysis/file-index.ts';
import { applySplices, isSound } from './candidate.ts';
import { editOf } from './edits.ts';
import { python } from './languages/python.ts';
import { openParser } from './syntax/parser.ts';
import { parseFile } from './syntax/source-file.ts';
import { templates } from './templates/index.ts';

const body = `# ümläut 😀
def one(xs, k):
    total = 0
    for x in xs:
        if x < k:
            total += x
    return total


def two(xs, k):
    total = 0
    for x in xs:
        if x < k:
            total += x
    return total
`;

/** What the patch room makes of a search edit, and what it said where it refused. */
function planned(text: string, edit: ReturnType<typeof editOf>): string {
  const file = { bytes: new TextEncoder().encode(text), mode: 0o644 };
  const result = planEdits({
    edits: [edit],
    files: ['a.py'],
    read: (path) => (path === 'a.py' ? file : null),
    policy: { protectedBecause: () => null, autoLoaded: () => false },
  });
  if (!result.ok) return JSON.stringify(result.refusals);
  const [change] = result.patch.changes;
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(change?.after ?? new Uint8Array());
}

describe('editOf', () => {
  it.each([
    ['line feeds', body],
    ['carriage returns', body.replaceAll('\n', '\r\n')],
    ['a byte order mark and no final line end', `\uFEFF${body.trimEnd()}`],
    ['tabs', body.replaceAll('    ', '\t')],
  ])('becomes the very text of its candidate in the patch room: %s', async (_, text) => {
    const parser = await openParser(python);
    const index = indexFile(parseFile('a.py', text, parser));
    parser.close();
    let seen = 0;
    for (const template of templates) {
      for (const site of index.sites) {
        for (const { splices } of template.rewrites({ index, site })) {
          if (!isSound(text, splices) || applySplices(text, splices) === text) continue;
          seen += 1;
          if (seen % 5 !== 0) continue;
          expect(planned(text, editOf(index.file, splices))).toBe(applySplices(text, splices));
        }
      }
    }
    expect(seen).toBeGreaterThan(1000);
  });
});
