import type { Coverage } from '../../core/index.ts';
import type { Feedback, ProposerTools } from '../types.ts';
import { indexFile } from './analysis/file-index.ts';
import { applySplices, fingerprint, isSound, parses } from './candidate.ts';
import { hintsOf } from './hints.ts';
import type { Trial } from './judge.ts';
import { languageOf } from './languages/index.ts';
import type { Localisation } from './localise.ts';
import { localise } from './localise.ts';
import { headline } from './motivation.ts';
import { pairs } from './pairs.ts';
import type { Suggestion } from './stream.ts';
import { suggestions } from './stream.ts';
import { suspectsOf } from './suspects.ts';
import type { Language } from './syntax/language.ts';
import type { SyntaxParser } from './syntax/parser.ts';
import { openParser } from './syntax/parser.ts';
import { parseFile } from './syntax/source-file.ts';
import { templates } from './templates/index.ts';

/** The candidates for one feedback, made one by one as they are asked for. */
export type Trials = {
  readonly localisation: Localisation;
  /** Single edits, the most promising first. */
  readonly singles: Generator<Trial<Suggestion>>;
  /** Two edits at once: `seeds`, best first, joined with the single edits made so far. */
  pairs(seeds: readonly Suggestion[]): Generator<Trial<Suggestion>>;
  /** Frees the parsers' memory. */
  close(): void;
};

export type TrialsOptions = { feedback: Feedback; tools: ProposerTools; coverage: Coverage };

/** Single edits remembered for pairs. */
const remembered = 4000;

/** Localises and opens the stream of candidates: distinct, parsing, none of them proposed before. */
export async function openTrials({ feedback, tools, coverage }: TrialsOptions): Promise<Trials> {
  const localisation = localise({
    coverage,
    failing: feedback.failing,
    flaky: feedback.flaky,
    editable: (path) => languageOf(path) !== null && tools.protectedBecause(path) === null,
  });
  const parsers = await openParsers(localisation.files);
  const proposed = feedback.attempts.map((attempt) => attempt.motivation);
  const seen = new Set<string>();
  const made: Suggestion[] = [];
  function* distinct(from: Iterable<Suggestion>): Generator<Trial<Suggestion>> {
    for (const suggestion of from) {
      const { rewrite, site } = suggestion;
      const { file } = site;
      const parser = parsers.get(file.language);
      if (parser === undefined || !isSound(file.text, rewrite.splices)) continue;
      const key = fingerprint(file.path, file.text, rewrite.splices);
      if (key === null || seen.has(key)) continue;
      seen.add(key);
      if (!parses(parser, file, site.node, rewrite.splices)) continue;
      const name = headline(suggestion);
      if (proposed.some((motivation) => motivation.startsWith(name))) continue;
      if (made.length < remembered) made.push(suggestion);
      yield { path: file.path, content: applySplices(file.text, rewrite.splices), origin: suggestion };
    }
  }
  return {
    localisation,
    singles: distinct(singleEdits(feedback, tools, localisation, parsers)),
    pairs: (seeds) => distinct(pairs(seeds, [...made])),
    close: () => {
      for (const parser of parsers.values()) parser.close();
    },
  };
}

async function openParsers(files: readonly string[]): Promise<Map<Language, SyntaxParser>> {
  const parsers = new Map<Language, SyntaxParser>();
  for (const file of files) {
    const language = languageOf(file);
    if (language !== null && !parsers.has(language)) parsers.set(language, await openParser(language));
  }
  return parsers;
}

function singleEdits(
  feedback: Feedback,
  tools: ProposerTools,
  localisation: Localisation,
  parsers: ReadonlyMap<Language, SyntaxParser>,
): Generator<Suggestion> {
  const hints = hintsOf(feedback.failing, [...parsers.keys()]);
  const files = localisation.files.map((path) => ({
    weight: localisation.of(path, 1, Number.MAX_SAFE_INTEGER).weight,
    suspects: () => {
      const language = languageOf(path);
      const parser = language === null ? undefined : parsers.get(language);
      const text = tools.read(path);
      if (parser === undefined || text === null) return [];
      return suspectsOf(indexFile(parseFile(path, text, parser)), localisation);
    },
  }));
  return suggestions({ files, templates, hint: ({ id }) => hints.get(id) ?? 1 });
}
