import {
  AssayError,
  type Clock,
  type Coverage,
  type Edit,
  type ModelFailure,
  type ModelSettings,
  type Price,
  type Proposed,
} from '../../core/index.ts';
import { type Env, scrub, secretsIn } from '../../store/index.ts';
import type { Feedback, Proposer, ProposerTools } from '../types.ts';
import { needOf } from './call-need.ts';
import { type Affordable, affordable, callSizes, packRoom } from './call-sizes.ts';
import { type Conversed, converse, fixedTokens } from './converse.ts';
import { type PaidCalls, paidCalls } from './paid-calls.ts';
import { priceOf } from './prices/index.ts';
import { holdsCredentials } from './prompt/credential-files.ts';
import { estimateTokens, headAndTail, type Opening, openingOf, type Transport } from './prompt/index.ts';
import { refusesTools } from './tool-trouble.ts';
import { tracedOrNot } from './traced.ts';
import type { Model } from './types.ts';

export type ModelProposerOptions = {
  model: Model;
  settings: ModelSettings;
  /** Where the secrets stand that must not be sent. */
  env: Env;
  /** null: not known. Default: what `settings.prices` and the table say. */
  price?: Price | null;
  clock?: Clock;
};

const systemClock: Clock = { monotonicMs: () => performance.now(), now: () => new Date() };

/** Malformed replies by tool after which `auto` asks in text. */
const malformedUntilText = 2;
/** Characters of what was wrong with a reply: it may quote the reply. */
const maxProblem = 2000;
/** Times a call is made shorter where a provider says that it is too long. */
const maxShortened = 3;

/**
 * Asks a model for the next patch. Every call is journaled, is made only when what it may cost is left, and is not
 * made again when a resumed run had its reply already. A reply that is no patch is `malformed` with what was wrong.
 * It projects nothing: it packs to what is left, and what a call that is cut may have cost is journaled before it.
 *
 * `propose` throws an AssayError `provider` where the model cannot be had now, so that the run can be taken up
 * again, and the reason of `tools.signal` when that aborts.
 */
export function modelProposer(options: ModelProposerOptions): Proposer {
  const { model, settings, env, clock = systemClock } = options;
  const price =
    options.price === undefined ? priceOf({ id: model.id, overrides: settings.prices }) : options.price;
  const secrets = secretsIn(env);
  const clean = (text: string) => scrub(text, secrets).text;
  const sizes = callSizes(model.id, settings);
  let untraceable = false;
  // By what the run has journaled alone: a process that takes it up asks as the one before it did.
  const transportFor = ({ malformedReplies = 0, toolsRefused = false }: Feedback): Transport => {
    if (settings.transport !== 'auto') return settings.transport;
    return toolsRefused || malformedReplies >= malformedUntilText ? 'text' : 'tool';
  };
  const isToolTrouble = (failure: ModelFailure) => settings.transport === 'auto' && refusesTools(failure);
  const survives = (failure: ModelFailure) =>
    failure.kind === 'context_too_long' || failure.kind === 'refused' || isToolTrouble(failure);

  async function coverageOf(tools: ProposerTools): Promise<Coverage | null> {
    if (untraceable) return null;
    const coverage = await tracedOrNot(tools);
    untraceable = coverage === null;
    return coverage;
  }

  async function reach(feedback: Feedback, tools: ProposerTools, calls: PaidCalls): Promise<Conversed> {
    model.prepare?.();
    const coverage = await coverageOf(tools);
    let limit = Number.POSITIVE_INFINITY;
    let tooLong: ModelFailure | null = null;
    let way = transportFor(feedback);
    for (let shortened = 0; ; ) {
      const fixed = fixedTokens(way);
      const pays = affordable({ sizes, fixedTokens: fixed, left: calls.leftToPack(), price });
      const room = packRoom(sizes, { fixedTokens: fixed, reads: way === 'tool' });
      const pack = (budgetTokens: number) => openingOf({ feedback, tools, coverage, budgetTokens, clean });
      const usual = Math.min(room.usual, limit);
      const opened = openWithin({ pack, usual, most: Math.min(room.most, limit), pays });
      if (opened.kind === 'exhausted') {
        const parts = { inputTokens: fixed + opened.openingTokens, outputTokens: sizes.maxOutputTokens };
        const need = needOf({ ...parts, left: calls.leftToPack(), price });
        return { kind: 'exhausted', which: pays.which, need };
      }
      if (opened.kind === 'too_small') {
        throw tooLong === null
          ? contextTooSmall(model, opened.neededTokens, sizes.contextTokens)
          : unreachable(model, tooLong);
      }
      const { opening } = opened;
      const mayRead = tooLong === null;
      const conversed = await converse({ opening, transport: way, mayRead, sizes, calls, tools, clean });
      if (conversed.kind !== 'failure') return conversed;
      const { failure, asked } = conversed;
      if (way === 'tool' && isToolTrouble(failure)) way = 'text';
      else if (failure.kind === 'context_too_long' && shortened < maxShortened) {
        shortened += 1;
        tooLong = failure;
        // After an answer it is what was read that is too long: nothing is read then.
        if (asked === 0) limit = Math.floor(estimateTokens(opening.text) / 2);
      } else return conversed;
    }
  }

  return {
    id: model.id,
    async propose(feedback, tools) {
      const calls = paidCalls({ model, price, tools, clock, survives });
      const conversed = await reach(feedback, tools, calls);
      return proposedOf(conversed, { model, usage: calls.usage() });
    },
  };
}

type Opened =
  | { kind: 'opened'; opening: Extract<Opening, { ok: true }> }
  | { kind: 'too_small'; neededTokens: number }
  /** `openingTokens`: of the message as it would be, were it paid for. */
  | { kind: 'exhausted'; openingTokens: number };

/**
 * Packs the first message: to its usual length, halved until what is left pays for it; where the floor needs more, to
 * as much as there is.
 */
function openWithin(options: {
  pack: (budgetTokens: number) => Opening;
  usual: number;
  most: number;
  pays: Affordable;
}): Opened {
  const { pack, most, pays } = options;
  const unpaid = (): Opened => {
    // Packing keeps room for what it may have to say, so that a short message takes no less than its floor.
    const [wanted, floor] = [pack(options.usual), pack(0)];
    const needed = [wanted, floor].map((one) => (one.ok ? estimateTokens(one.text) : one.neededTokens));
    return { kind: 'exhausted', openingTokens: Math.max(...needed) };
  };
  if (pays.tokens <= 0) return unpaid();
  let budget = options.usual;
  while (budget > pays.tokens) budget = Math.floor(budget / 2);
  const opening = pack(budget);
  if (opening.ok) return { kind: 'opened', opening };
  const { neededTokens } = opening;
  if (neededTokens > most) return { kind: 'too_small', neededTokens };
  if (neededTokens > pays.tokens) return unpaid();
  const whole = pack(Math.min(most, pays.tokens));
  return whole.ok ? { kind: 'opened', opening: whole } : { kind: 'too_small', neededTokens };
}

const pathsOf = (edit: Edit): string[] => (edit.op === 'rename' ? [edit.path, edit.to] : [edit.path]);

function proposedOf(
  conversed: Conversed,
  { model, usage }: { model: Model; usage: ReturnType<PaidCalls['usage']> },
): Proposed {
  switch (conversed.kind) {
    case 'answered': {
      const { answer } = conversed;
      if (!answer.ok) return { kind: 'malformed', problem: headAndTail(answer.problem, maxProblem), usage };
      const { motivation, edits } = answer;
      // Even whether an edit would find its text would tell something of what is in such a file.
      const secret = edits.find((edit) => pathsOf(edit).some(holdsCredentials));
      if (secret !== undefined)
        return {
          kind: 'malformed',
          problem: `${secret.path} holds credentials: no patch may touch it.`,
          usage,
        };
      return { kind: 'proposal', motivation, edits, alternatives: [], usage };
    }
    case 'exhausted': {
      const { which } = conversed;
      const short = `what is left of the ${which} budget does not cover another call of ${model.id}`;
      const base = { kind: 'no_proposal' as const, exhausted: which, usage };
      if (which !== 'wall') return { ...base, reason: short, need: conversed.need };
      const { because } = conversed;
      return { ...base, reason: because ?? short, ...(because && { because }) };
    }
    case 'failure': {
      const { failure } = conversed;
      if (failure.kind === 'recording_over')
        return { kind: 'no_proposal', reason: inSentence(failure.message), exhausted: null, usage };
      if (failure.kind !== 'refused') throw unreachable(model, failure);
      return { kind: 'malformed', problem: `The model refused to answer: ${failure.message}`, usage };
    }
  }
}

/** A sentence as the part of one. */
const inSentence = (text: string) => text.charAt(0).toLowerCase() + text.slice(1).replace(/\.$/, '');

function unreachable(model: Model, { message, fix, kind }: ModelFailure): AssayError {
  return new AssayError({
    code: 'provider',
    message: `${model.id} cannot be had now (${kind})`,
    because: message,
    fix,
  });
}

function contextTooSmall(model: Model, neededTokens: number, contextTokens: number): AssayError {
  return new AssayError({
    code: 'provider',
    message: `the context of ${model.id} is too small for this project`,
    because: `the names of the failing tests alone take about ${neededTokens} tokens, and the model takes ${contextTokens} with its reply`,
    fix: 'start a new run: with a model of a larger context (--model), with --context-tokens where it takes more than that, or with fewer tests at once (--test)',
  });
}
