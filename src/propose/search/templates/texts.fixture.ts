import { indexFile } from '../analysis/file-index.ts';
import { applySplices } from '../candidate.ts';
import { python } from '../languages/python.ts';
import { openParser } from '../syntax/parser.ts';
import { parseFile } from '../syntax/source-file.ts';
import type { Rewrite, Template } from './template.ts';

/** For tests: every rewrite that a template makes of a Python source, with the text it leads to. */
export async function rewritesOf(
  template: Template,
  source: string,
): Promise<(Rewrite & { result: string })[]> {
  const parser = await openParser(python);
  try {
    const index = indexFile(parseFile('module.py', source, parser));
    return index.sites.flatMap((site) =>
      [...template.rewrites({ index, site })].map((rewrite) => ({
        ...rewrite,
        result: applySplices(source, rewrite.splices),
      })),
    );
  } finally {
    parser.close();
  }
}

/** For tests: the texts a template makes of a Python source. */
export async function textsOf(template: Template, source: string): Promise<string[]> {
  return (await rewritesOf(template, source)).map((rewrite) => rewrite.result);
}

/** For tests: the source with a part of it exchanged; throws where the part is not there. */
export function edited(source: string, from: string, to: string): string {
  if (!source.includes(from)) throw new Error(`no ${from} in the source`);
  return source.replace(from, () => to);
}
