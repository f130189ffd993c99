import type { CallNeed, RepairEnd, RepairResult, Usage } from '../core/index.ts';
import { overshoots } from './budget.ts';
import type { RepairState } from './repair-state.ts';
import { stagesOf } from './stages.ts';
import { suspicionsOf } from './suspicions.ts';

/**
 * The result of a run from the fold of its events alone. A run without an end can be resumed: stopped or cut by a crash
 * it is `aborted`, and `environment_error` where it waits for a model that cannot be had.
 * @param options.run the run's id; `dir`: its folder, absolute
 */
export function resultOf(options: { state: RepairState; run: string; dir: string }): RepairResult {
  const { state, run, dir } = options;
  const { best, spent } = state;
  const end = endOf(state);
  const { rounds, ...usage } = spent;
  return {
    schema: 'assay-fix/1',
    run,
    status: end.status,
    reason: wholeReason(state, end, run),
    fix: fixOf(end),
    rounds,
    patch: best?.diff ?? null,
    bestEffort: best !== null && end.status !== 'done',
    motivation: best?.motivation ?? null,
    alternatives: end.status === 'done' ? state.alternatives : [],
    tests: (best?.report ?? state.baseline)?.summary ?? null,
    flaky: state.flaky,
    holdout: state.heldOut,
    confirmations: state.confirmations,
    usage,
    enforcement: (state.last ?? state.baseline)?.enforcement ?? null,
    warnings: warningsOf(state),
    dir,
  };
}

/** What each proposer that another took over from came to, e.g. `search: nothing left to try`. */
export function handoversOf(state: RepairState): string[] {
  const ids = stagesOf(state.spec);
  return state.handedOver.map((end, stage) => `${ids[stage] ?? stage}: ${reasonOf(end, state)}`);
}

const endOf = ({ phase, halted }: RepairState): RepairEnd =>
  phase.at === 'ended' ? phase.end : (halted ?? { status: 'aborted', detail: 'the process was cut' });

function wholeReason(state: RepairState, end: RepairEnd, run: string): string {
  const reason = reasonOf(end, state);
  // A run keeps its model: where that is what is wrong, it takes a new run, as the fix says.
  if (state.halted?.status === 'environment_error')
    return `${reason}; assay resume ${run} asks the same model again`;
  if (state.phase.at !== 'ended') return `${reason}; go on with: assay resume ${run}`;
  const before = end.status === 'done' ? [] : handoversOf(state);
  return before.length === 0 ? reason : `${reason}; before that ${before.join('; ')}`;
}

/** One sentence that a person understands without the status. */
function reasonOf(end: RepairEnd, state: RepairState): string {
  switch (end.status) {
    case 'done': {
      const total = state.best?.report.summary.passed ?? 0;
      const held = state.heldOut === null ? '' : ` and by ${count(state.heldOut.total, 'held-out test')}`;
      return `${count(total, 'test')} pass after ${count(state.spent.rounds, 'round')}, confirmed in a fresh sandbox${held}`;
    }
    case 'already_green':
      return state.flaky.length === 0
        ? 'all tests pass without a patch'
        : `all tests pass without a patch, but for ${count(state.flaky.length, 'flaky one')}`;
    case 'stuck':
      return end.detail;
    case 'budget_exhausted':
      return reasonOfBudget(end);
    case 'unpatchable':
    case 'tampered':
      return end.detail;
    case 'environment_error':
    case 'error':
    case 'aborted':
      return end.detail;
  }
}

const limitNames = {
  rounds: 'rounds',
  tokens: 'token limit',
  cost: 'cost limit',
  wall: 'time limit',
  candidates: 'candidate limit',
} as const;

type Exhausted = Extract<RepairEnd, { status: 'budget_exhausted' }>;

function reasonOfBudget({ which, used, limit, because, need }: Exhausted): string {
  const spent = `${amount(which, used)} of ${amount(which, limit)}`;
  const isUsedUp = `the ${limitNames[which]} is used up: ${spent}`;
  // What a proposer has of the time is less than all: its patch has to be tested too.
  if (because !== undefined)
    return `${because}, and ${used < limit ? `what is left of the ${limitNames[which]} is for the tests: ${spent} used` : isUsedUp}`;
  if (need !== undefined)
    return `the ${limitNames[which]} leaves no room for the next call: ${spent} used, and it takes up to ${takes(which, need)}`;
  if (used < limit) return `the ${limitNames[which]} leaves no room for the next step: ${spent} used`;
  return `the ${limitNames[which]} ${which === 'rounds' ? 'are' : 'is'} used up: ${spent}`;
}

/** `17,400 tokens, 16,000 of them for its reply`, after what it costs where that is what lacks. */
function takes(which: Exhausted['which'], { tokens, costUsd, replyTokens }: CallNeed): string {
  const all = `${amount('tokens', tokens)} tokens, ${amount('tokens', replyTokens)} of them for its reply`;
  return which === 'cost' && costUsd !== null ? `${amount('cost', costUsd)} (${all})` : all;
}

/** The option of the command line that gives more of each. */
const limitOptions = {
  rounds: '--rounds',
  tokens: '--max-tokens',
  cost: '--max-cost',
  wall: '--timeout',
  candidates: '--max-candidates',
} as const;

function fixOf(end: RepairEnd): string | null {
  if (end.status !== 'budget_exhausted') return 'fix' in end ? end.fix : null;
  const { which, limit, used, because, need } = end;
  const needed = need === undefined ? null : which === 'cost' ? need.costUsd : need.tokens;
  const twice = 2 * (which === 'wall' ? limit / 1000 : limit);
  const enough = needed === null ? Number(twice.toPrecision(6)) : roundUp(Math.max(twice, used + needed));
  const more = `more, e.g. ${limitOptions[which]} ${enough}`;
  if (because !== undefined) return `run it again when the model answers in time, or with ${more}`;
  if (need === undefined || need.payableReplyTokens < leastReply) return `run it again with ${more}`;
  const shorter = roundDown(need.payableReplyTokens);
  return `run it again with ${more}, or with shorter replies: --max-output-tokens ${shorter}`;
}

/** Tokens that a patch with a few words takes. */
const leastReply = 1_000;

/** To two digits, so that a number can be remembered. */
const roundUp = (value: number) => rounded(value, Math.ceil);
const roundDown = (value: number) => rounded(value, Math.floor);

function rounded(value: number, round: (value: number) => number): number {
  const unit = 10 ** (Math.floor(Math.log10(value)) - 1);
  return Number((round(Number((value / unit).toPrecision(12))) * unit).toPrecision(12));
}

function amount(which: keyof typeof limitNames, value: number): string {
  if (which === 'wall') return `${(value / 1000).toFixed(1)} s`;
  if (which === 'cost') return `$${value.toFixed(4)}`;
  return value.toLocaleString('en-US');
}

const count = (number: number, noun: string) => `${number} ${noun}${number === 1 ? '' : 's'}`;

function warningsOf(state: RepairState): string[] {
  const { best, baseline, flaky, unsteady, lost, otherReplies, spec, spent } = state;
  const warnings = [...(baseline?.warnings ?? []), ...(best?.report.warnings ?? [])];
  if (state.changed.length > 0)
    warnings.push(
      `the project has changed since the run began (${named(state.changed)}): what was tested is how it was then`,
    );
  if (otherReplies.length > 0) warnings.push(fromRecording(otherReplies));
  if (flaky.length > 0) warnings.push(`left out as flaky, two runs of them differ: ${named(flaky)}`);
  if (unsteady.length > 0) warnings.push(`two runs of one patch differ in: ${named(unsteady)}`);
  if (best?.unconfirmed != null) warnings.push(`the patch was not confirmed: ${best.unconfirmed}`);
  if (best !== null && baseline !== null) warnings.push(...suspicionsOf({ diff: best.diff, red: baseline }));
  for (const { which, used, limit } of overshoots(spec.limits, spent))
    warnings.push(overshot({ which: endNames[which], used, limit }));
  const charged = chargedFor(lost);
  if (charged !== null)
    warnings.push(`the usage includes what a cut attempt may have cost at most: ${charged}`);
  return [...new Set(warnings)];
}

function fromRecording(numbers: readonly number[]): string {
  const [which, were] =
    numbers.length === 1 ? [`reply ${numbers[0]}`, 'was'] : [`replies ${named(numbers.map(String))}`, 'were'];
  return `${which} of the recording ${were} given in its order to what it was not recorded for: the project, its tests or what came before differ from then`;
}

const endNames = {
  rounds: 'rounds',
  tokens: 'tokens',
  costUsd: 'cost',
  wallMs: 'wall',
  candidates: 'candidates',
} as const;

function overshot({ which, used, limit }: Pick<Exhausted, 'which' | 'used' | 'limit'>): string {
  return `the last step went over the ${limitNames[which]}: ${amount(which, used)} of ${amount(which, limit)}`;
}

/** What a cut attempt was charged, in words; null for nothing. */
function chargedFor({ tokens, costUsd, candidates, wallMs }: Usage): string | null {
  const parts = [
    ...(tokens > 0 ? [`${amount('tokens', tokens)} ${tokens === 1 ? 'token' : 'tokens'}`] : []),
    ...(costUsd === null ? ['an unknown cost'] : costUsd > 0 ? [amount('cost', costUsd)] : []),
    ...(candidates > 0 ? [count(candidates, 'candidate')] : []),
    ...(wallMs > 0 ? [amount('wall', wallMs)] : []),
  ];
  return parts.length === 0 ? null : parts.join(', ');
}

const named = (ids: readonly string[]) =>
  ids.length <= 5 ? ids.join(', ') : `${ids.slice(0, 5).join(', ')} and ${ids.length - 5} more`;
