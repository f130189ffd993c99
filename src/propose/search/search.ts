import type { Clock, Coverage } from '../../core/index.ts';
import type { Feedback, ProposerTools } from '../types.ts';
import { indexFile } from './analysis/file-index.ts';
import { applySplices, fingerprint, isSound, parses } from './candidate.ts';
import { hintsOf } from './hints.ts';
import type { JudgeEnd, JudgeState, Trial } from './judge.ts';
import { judge } from './judge.ts';
import { languageOf } from './languages/index.ts';
import type { Localisation } from './localise.ts';
import { localise } from './localise.ts';
import { headline } from './motivation.ts';
import type { Suggestion } from './stream.ts';
import { suggestions } from './stream.ts';
import { suspectsOf } from './suspects.ts';
import type { Language } from './syntax/language.ts';
import type { SyntaxParser } from './syntax/parser.ts';
import { openParser } from './syntax/parser.ts';
import { parseFile } from './syntax/source-file.ts';
import { templates } from './templates/index.ts';

export type SearchLimits = {
  /** Candidates sent to the evaluator at a time. */
  batchSize: number;
  /** Passing candidates after which the search ends. */
  passing: number;
  /** Candidates tried after the first passing one, at least and at most. */
  extra: { min: number; max: number };
};

export type SearchResult = {
  state: JudgeState<Suggestion>;
  end: JudgeEnd;
  localisation: Localisation;
};

export type SearchOptions = {
  feedback: Feedback;
  tools: ProposerTools;
  coverage: Coverage;
  limits: SearchLimits;
  clock: Clock;
  startedMs: number;
};

/** Localises, makes candidates and has them judged, until enough pass or the budget or the candidates run out. */
export async function search(options: SearchOptions): Promise<SearchResult> {
  const { feedback, tools, limits, clock, startedMs } = options;
  const localisation = localise({
    coverage: options.coverage,
    failing: feedback.failing,
    flaky: feedback.flaky,
    editable: (path) => languageOf(path) !== null && tools.protectedBecause(path) === null,
  });
  const parsers = await openParsers(localisation.files);
  try {
    const state: JudgeState<Suggestion> = {
      generated: 0,
      tried: 0,
      hung: 0,
      passing: [],
      partial: [],
      firstPassAt: null,
      startedMs,
    };
    const end = await judge({
      trials: trials(options, localisation, parsers),
      tools,
      clock,
      batchSize: limits.batchSize,
      enough: ({ passing, tried, firstPassAt }) => {
        if (firstPassAt === null) return false;
        const extra = Math.min(limits.extra.max, Math.max(limits.extra.min, firstPassAt));
        return passing.length >= limits.passing || tried >= firstPassAt + extra;
      },
      deadlineMs: startedMs + tools.budget.wallMs,
      state,
      at: ({ origin }) => `${origin.site.file.path}:${origin.site.from}`,
    });
    return { state, end, localisation };
  } finally {
    for (const parser of parsers.values()) parser.close();
  }
}

async function openParsers(files: readonly string[]): Promise<Map<Language, SyntaxParser>> {
  const parsers = new Map<Language, SyntaxParser>();
  for (const file of files) {
    const language = languageOf(file);
    if (language !== null && !parsers.has(language)) parsers.set(language, await openParser(language));
  }
  return parsers;
}

/** Every distinct candidate that parses and was not proposed before, the most promising first. */
function* trials(
  { feedback, tools }: SearchOptions,
  localisation: Localisation,
  parsers: ReadonlyMap<Language, SyntaxParser>,
): Generator<Trial<Suggestion>> {
  const hints = hintsOf(feedback.failing);
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
  const seen = new Set<string>();
  for (const suggestion of suggestions({ files, templates, hint: ({ id }) => hints.get(id) ?? 1 })) {
    const { rewrite, site } = suggestion;
    const { file } = site;
    if (!isSound(file.text, rewrite.splices)) continue;
    const key = fingerprint(file.path, file.text, rewrite.splices);
    if (key === null || seen.has(key)) continue;
    seen.add(key);
    const parser = parsers.get(file.language);
    if (parser === undefined || !parses(parser, file, site.node, rewrite.splices)) continue;
    const name = headline(suggestion);
    if (feedback.attempts.some((attempt) => attempt.motivation.startsWith(name))) continue;
    yield { path: file.path, content: applySplices(file.text, rewrite.splices), origin: suggestion };
  }
}
