import type { Coverage } from '../../core/index.ts';
import type { Feedback, ProposerTools } from '../types.ts';
import type { Site } from './analysis/site.ts';
import { applySplices, fingerprint, isSound, parses } from './candidate.ts';
import { hintsOf } from './hints.ts';
import type { Trial } from './judge.ts';
import { languageOf } from './languages/index.ts';
import type { Localisation } from './localise.ts';
import { localise } from './localise.ts';
import { headline } from './motivation.ts';
import { pairs } from './pairs.ts';
import type { Sources } from './sources.ts';
import type { Suggestion } from './stream.ts';
import { suggestions } from './stream.ts';
import { suspectsOf } from './suspects.ts';
import { templates } from './templates/index.ts';

/** The candidates for one feedback, made one by one as they are asked for. */
export type Trials = {
  readonly localisation: Localisation;
  /** Single edits, the most promising first; `where` leaves sites out. */
  singles(where?: (site: Site) => boolean): Generator<Trial<Suggestion>>;
  /** Two edits at once: `seeds`, best first, joined with the single edits made so far. */
  pairs(seeds: readonly Suggestion[]): Generator<Trial<Suggestion>>;
};

export type TrialsOptions = {
  /** `failing`: the tests that are to pass, and nothing is tried for others. */
  feedback: Feedback;
  tools: ProposerTools;
  coverage: Coverage;
  /** Failing tests that are left out: they count for nothing. */
  ignore?: readonly string[];
  sources: Sources;
};

/** Single edits remembered for pairs. */
const remembered = 4000;

/** Localises and opens the stream of candidates: distinct, parsing, none of them proposed before. */
export async function openTrials(options: TrialsOptions): Promise<Trials> {
  const { feedback, tools, coverage, sources, ignore = [] } = options;
  const localisation = localise({
    coverage,
    failing: feedback.failing,
    flaky: [...feedback.flaky, ...ignore],
    editable: (path) => languageOf(path) !== null && tools.protectedBecause(path) === null,
  });
  await sources.prepare(localisation.files);
  const proposed = feedback.attempts.map((attempt) => attempt.motivation);
  const seen = new Set<string>();
  const made: Suggestion[] = [];
  function* distinct(from: Iterable<Suggestion>): Generator<Trial<Suggestion>> {
    for (const suggestion of from) {
      const { rewrite, site } = suggestion;
      const { file } = site;
      const parser = sources.parser(file.language);
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
    singles: (where) =>
      distinct(singleEdits({ feedback, sources, localisation, where: where ?? (() => true) })),
    pairs: (seeds) => distinct(pairs(seeds, [...made])),
  };
}

function singleEdits(options: {
  feedback: Feedback;
  sources: Sources;
  localisation: Localisation;
  where: (site: Site) => boolean;
}): Generator<Suggestion> {
  const { feedback, sources, localisation, where } = options;
  const hints = hintsOf(feedback.failing, sources.languages());
  const files = localisation.files.map((path) => ({
    weight: localisation.of(path, 1, Number.MAX_SAFE_INTEGER).weight,
    suspects: () => {
      const index = sources.index(path);
      return index === null ? [] : suspectsOf(index, localisation).filter(({ site }) => where(site));
    },
  }));
  return suggestions({ files, templates, hint: ({ id }) => hints.get(id) ?? 1 });
}
