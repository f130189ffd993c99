import type { RepairResult, RepairSpec } from '../core/index.ts';
import { type RepairState, stagesOf } from '../loop/index.ts';
import { modelsOf } from '../propose/index.ts';
import { isScrubbed } from '../store/index.ts';
import { type AdviceOptions, keyedModel, packageAdvice } from './advice.ts';
import type { CliContext } from './context.ts';

export type NextOptions = AdviceOptions & {
  result: RepairResult;
  /** What the tests run with; null where no test ran. */
  framework: string | null;
};

/** The same of a run that stands at `state`. */
export function nextOf({ cwd, env }: CliContext, state: RepairState, result: RepairResult): string[] {
  const framework = state.baseline?.framework ?? null;
  return nextSteps({ result, spec: state.spec, cwd, env, framework });
}

/** What to do now, one step a line; there is always one. */
export function nextSteps(options: NextOptions): string[] {
  const { result } = options;
  const { status, run, patch } = result;
  switch (status) {
    case 'done':
      return [
        patch !== null && isScrubbed(patch)
          ? byHand(run)
          : `assay apply ${run} writes the patch to your files`,
      ];
    case 'already_green':
      return [alreadyGreen(result)];
    case 'aborted':
      return [`assay resume ${run} goes on with it`, ...best(patch, run)];
    case 'running':
      return [`assay show ${run} tells what came of it when it is over`];
    case 'budget_exhausted':
      return [result.fix ?? 'run it again with more', ...best(patch, run)];
    case 'stuck':
    case 'unpatchable':
      return [...anotherProposer(options), ...best(patch, run), ...packagesBelow(options)];
    case 'tampered':
      return [`nothing of such a patch is kept; assay show ${run} tells what it did`, ...best(patch, run)];
    default:
      return [
        result.fix ?? `assay show ${run} shows every step`,
        ...best(patch, run),
        ...(status === 'environment_error' ? packagesBelow(options) : []),
      ];
  }
}

/** The result for a program: where the loop knows no remedy it has the first step that a person is told, but for success. */
export function withAdvice(result: RepairResult, [first]: readonly string[]): RepairResult {
  const needsNone = result.status === 'done' || result.status === 'already_green';
  return result.fix !== null || needsNone ? result : { ...result, fix: first ?? null };
}

/** The run folder keeps no secret, and so no patch that could be written from it. */
const byHand = (run: string) =>
  `a secret stands in the lines of the patch, so assay apply cannot write it: run assay fix again with --write, or make the change by hand (assay show ${run} --patch)`;

/** Packages of a repository, where its own tests are not what is worked on. */
function packagesBelow(options: NextOptions): string[] {
  return packageAdvice(options, { noTests: options.result.tests?.total === 0 });
}

function alreadyGreen({ flaky }: RepairResult): string {
  return flaky.length > 0
    ? 'make the flaky tests steady: whether they pass is chance'
    : 'nothing; where a failure was expected, name the tests that show it with --test';
}

/** What a stuck run can be helped with: a model where there was none, else another one or more words. */
function anotherProposer(options: NextOptions): string[] {
  const { spec, result } = options;
  const unreadable = result.warnings.some((warning) => warning.includes('is not UTF-8'));
  if (unreadable && result.usage.candidates === 0)
    return ['save as UTF-8 the files that the warning names, so that they can be patched'];
  if (stagesOf(spec).every((id) => id.startsWith('replay:')))
    return [
      'record anew, --model PROVIDER/MODEL --record FILE: a recording is of one run, and of the project as it was then',
      `assay show ${result.run} tells what was tried`,
    ];
  if (modelsOf(spec.proposer).length > 0 || !searches(spec)) {
    return [
      'another model (--model), or a --task that says what is meant to work',
      `assay show ${result.run} tells what was tried`,
    ];
  }
  const chain = speaksPython(options) ? 'search,' : '';
  const lead = chain === '' ? 'the search repairs Python only: ' : '';
  const keyed = keyedModel(options, chain);
  if (keyed !== null) return [`${lead}${keyed}`];
  return [
    `${lead}--model ${chain}PROVIDER/MODEL lets a model ${chain === '' ? 'repair it' : 'take over'}, with its key (e.g. ANTHROPIC_API_KEY) or a server of your own (--base-url); docs/fix.md, "With a model"`,
  ];
}

const searches = ({ proposer }: RepairSpec) => proposer.split(',').some((id) => id.trim() === 'search');

const speaksPython = ({ framework }: NextOptions) => framework === null || framework !== 'node-test';

const best = (patch: string | null, run: string) =>
  patch === null
    ? []
    : [`assay show ${run} --patch prints the best patch; assay apply refuses it without --force`];
