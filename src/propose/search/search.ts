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
  /**
   * What is spent after the first passing candidate: as many candidates and as much time again as it took, but
   * within these bounds.
   */
  extra: { min: number; max: number; minMs: number; maxMs: number };
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
  const { tools, limits, clock, startedMs } = options;
  const { localisation, trials, close } = await openTrials(options);
  try {
    const state: JudgeState<Suggestion> = {
      generated: 0,
      tried: 0,
      hung: 0,
      passing: [],
      partial: [],
      firstPass: null,
      startedMs,
    };
    const end = await judge({
      trials,
      tools,
      clock,
      batchSize: limits.batchSize,
      enough: (now) => isEnough(now, limits, clock.monotonicMs() - startedMs),
      deadlineMs: startedMs + tools.budget.wallMs,
      state,
      at: ({ origin }) => `${origin.site.file.path}:${origin.site.from}`,
    });
    return { state, end, localisation };
  } finally {
    close();
  }
}

function isEnough(state: JudgeState<Suggestion>, limits: SearchLimits, spentMs: number): boolean {
  const { passing, tried, firstPass } = state;
  if (firstPass === null) return false;
  if (passing.length >= limits.passing) return true;
  const { min, max, minMs, maxMs } = limits.extra;
  return (
    tried >= firstPass.tried + clamp(firstPass.tried, min, max) ||
    spentMs >= firstPass.ms + clamp(firstPass.ms, minMs, maxMs)
  );
}

const clamp = (value: number, low: number, high: number) => Math.min(high, Math.max(low, value));

/** The candidates for a feedback, made one by one as they are asked for. Call `close` when done. */
export async function openTrials({
  feedback,
  tools,
  coverage,
}: Pick<SearchOptions, 'feedback' | 'tools' | 'coverage'>): Promise<{
  localisation: Localisation;
  trials: Generator<Trial<Suggestion>>;
  close(): void;
}> {
  const localisation = localise({
    coverage,
    failing: feedback.failing,
    flaky: feedback.flaky,
    editable: (path) => languageOf(path) !== null && tools.protectedBecause(path) === null,
  });
  const parsers = await openParsers(localisation.files);
  return {
    localisation,
    trials: makeTrials(feedback, tools, localisation, parsers),
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

/** Every distinct candidate that parses and was not proposed before, the most promising first. */
function* makeTrials(
  feedback: Feedback,
  tools: ProposerTools,
  localisation: Localisation,
  parsers: ReadonlyMap<Language, SyntaxParser>,
): Generator<Trial<Suggestion>> {
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
