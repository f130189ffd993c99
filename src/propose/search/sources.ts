import type { ProposerTools } from '../types.ts';
import type { FileIndex } from './analysis/file-index.ts';
import { indexFile } from './analysis/file-index.ts';
import { languageOf } from './languages/index.ts';
import type { Language } from './syntax/language.ts';
import type { SyntaxParser } from './syntax/parser.ts';
import { openParser } from './syntax/parser.ts';
import { parseFile } from './syntax/source-file.ts';

/** The project's files, each parsed and indexed once, when first asked for. */
export type Sources = {
  /** Opens what parses these files; `index` knows no others. */
  prepare(files: readonly string[]): Promise<void>;
  /** null for a file that is missing, no text, or in a language that is not prepared. */
  index(path: string): FileIndex | null;
  parser(language: Language): SyntaxParser | undefined;
  languages(): readonly Language[];
  /** Frees the parsers' memory. */
  close(): void;
};

export function openSources(tools: Pick<ProposerTools, 'read'>): Sources {
  const parsers = new Map<Language, SyntaxParser>();
  const indexes = new Map<string, FileIndex | null>();
  const indexed = (path: string): FileIndex | null => {
    const language = languageOf(path);
    const parser = language === null ? undefined : parsers.get(language);
    const text = tools.read(path);
    return parser === undefined || text === null ? null : indexFile(parseFile(path, text, parser));
  };
  return {
    async prepare(files) {
      for (const file of files) {
        const language = languageOf(file);
        if (language !== null && !parsers.has(language)) parsers.set(language, await openParser(language));
      }
    },
    index(path) {
      const known = indexes.get(path);
      if (known !== undefined) return known;
      const made = indexed(path);
      indexes.set(path, made);
      return made;
    },
    parser: (language) => parsers.get(language),
    languages: () => [...parsers.keys()],
    close() {
      for (const parser of parsers.values()) parser.close();
      parsers.clear();
    },
  };
}
