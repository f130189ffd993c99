import {
  type AnalysisEffect,
  type AnalysisEvent,
  AssayError,
  type Clock,
  type ModelFailure,
} from '../../core/index.ts';
import {
  type CallOutcome,
  type ModelImage,
  type ModelRequest,
  type PaidCalls,
  type ProposeProgress,
  paidCalls,
} from '../../propose/index.ts';
import { givenAgain } from '../call-log.ts';
import { affordableContext, leftIn } from './budget.ts';
import { type Context, contextOf, type ImageRef } from './context.ts';
import { type Asked, modelIdFor } from './models.ts';
import { planOf, planRequest } from './plan.ts';
import { type AnalysisState, type EventOf, isToolTrouble, usesText } from './state.ts';

export type AskOptions = {
  asked: (id: string) => Asked;
  clock: Clock;
  /** Bytes of an artifact, for images. */
  readArtifact: (sha256: string) => Promise<Buffer>;
  onProgress?: ((progress: ProposeProgress) => void) | undefined;
};

export type AskRequest = {
  effect: Extract<AnalysisEffect, { kind: 'plan' | 'ask' }>;
  state: AnalysisState;
  signal: AbortSignal;
  emit: (event: AnalysisEvent, options?: { sync: boolean }) => Promise<void>;
};

/** Times a request is made shorter where a provider says that it is too long. */
const maxShortened = 3;

/**
 * One reply of a model as an event. Each call is journaled before and after, is made only when what it may cost is left,
 * and is not made again when an earlier process had its reply.
 * @throws AssayError `provider` where the model cannot be had now
 */
export async function ask(options: AskOptions, request: AskRequest): Promise<AnalysisEvent> {
  const { effect, state } = request;
  const voice = options.asked(modelIdFor(effect, state));
  const startedMs = options.clock.monotonicMs();
  const wallMs = () => Math.max(0, options.clock.monotonicMs() - startedMs);
  const calls = callsFor(options, request, voice);
  const outcome =
    effect.kind === 'plan' ? await askPlan(calls, state, voice) : await askTurn(options, calls, state, voice);
  if (outcome.kind === 'exhausted') return { type: 'exhausted', which: outcome.which, wallMs: wallMs() };
  if (outcome.kind === 'failure' && outcome.failure.kind !== 'refused')
    throw unreachable(voice, outcome.failure);
  if (effect.kind === 'plan') return { ...planned(outcome), wallMs: wallMs() };
  const { subtask, turn } = effect;
  if (outcome.kind === 'failure') {
    const reply = { text: '', toolCalls: [], finish: 'refused' as const };
    return { type: 'replied', subtask, turn, reply, wallMs: wallMs() };
  }
  const { usage: _, ...reply } = outcome.reply;
  return { type: 'replied', subtask, turn, reply, wallMs: wallMs() };
}

function callsFor(
  { clock, onProgress }: AskOptions,
  request: AskRequest,
  { model, price }: Asked,
): PaidCalls {
  const { effect, state, signal, emit } = request;
  const subtask = effect.kind === 'plan' ? null : effect.subtask;
  const { tokens, costUsd, wallMs } = leftIn(state);
  return paidCalls({
    model,
    price,
    clock,
    survives: (failure) =>
      failure.kind === 'context_too_long' ||
      failure.kind === 'refused' ||
      isToolTrouble({ ok: false, failure }),
    tools: {
      signal,
      budget: { tokens, costUsd, wallMs, candidates: null },
      calls: {
        past: givenAgain(state.calls.past),
        calling: (call) => emit({ type: 'model_calling', subtask, ...call }, { sync: true }),
        called: (call) => emit({ type: 'model_called', subtask, ...call }, { sync: true }),
      },
      ...(onProgress && { onProgress }),
    },
  });
}

async function askPlan(calls: PaidCalls, state: AnalysisState, { sizes }: Asked): Promise<CallOutcome> {
  const problem = state.phase.at === 'planning' ? state.phase.problem : null;
  const outcome = await calls.call(planRequest(state, problem, sizes));
  if (usesText(state) || !refusesTools(outcome, state)) return outcome;
  return calls.call(planRequest({ ...state, toolsFail: true }, problem, sizes));
}

/** A server that takes no tools, where the user does not insist on them. */
const refusesTools = (outcome: CallOutcome, { spec }: AnalysisState): boolean =>
  outcome.kind === 'failure' &&
  spec.settings.transport === 'auto' &&
  isToolTrouble({ ok: false, failure: outcome.failure });

function planned(
  outcome: Extract<CallOutcome, { kind: 'reply' | 'failure' }>,
): Omit<EventOf<'planned'>, 'wallMs'> {
  if (outcome.kind === 'failure')
    return { type: 'planned', subtasks: [], problem: 'the model refused to answer' };
  const plan = planOf(outcome.reply);
  return plan.ok
    ? { type: 'planned', subtasks: plan.subtasks, problem: null }
    : { type: 'planned', subtasks: [], problem: plan.problem };
}

async function askTurn(
  options: AskOptions,
  calls: PaidCalls,
  state: AnalysisState,
  voice: Asked,
): Promise<CallOutcome> {
  let context = affordableContext(state, voice);
  let asText = usesText(state);
  for (let shortened = 0; ; ) {
    if (!context.ok) throw contextTooSmall(voice, context.neededTokens);
    const outcome = await calls.call(await withImages(context, options));
    const tooLong = outcome.kind === 'failure' && outcome.failure.kind === 'context_too_long';
    if (!asText && refusesTools(outcome, state)) {
      asText = true;
      context = affordableContext({ ...state, toolsFail: true }, voice);
      continue;
    }
    if (!tooLong || shortened >= maxShortened) return outcome;
    shortened += 1;
    context = contextOf(
      { ...state, toolsFail: asText },
      { sizes: voice.sizes, budgetTokens: Math.floor(60_000 / 2 ** shortened), made: voice.made },
    );
  }
}

async function withImages(
  { request, images }: Context & { ok: true },
  options: AskOptions,
): Promise<ModelRequest> {
  const shown = await Promise.all(images.map((image) => imageOf(image, options)));
  const last = request.messages.at(-1);
  if (last?.role !== 'user' || shown.length === 0) return request;
  return { ...request, messages: [...request.messages.slice(0, -1), { ...last, images: shown }] };
}

async function imageOf({ artifact, mediaType }: ImageRef, { readArtifact }: AskOptions): Promise<ModelImage> {
  return { mediaType, base64: (await readArtifact(artifact)).toString('base64') };
}

function unreachable({ model }: Asked, { message, fix, kind }: ModelFailure): AssayError {
  return new AssayError({
    code: 'provider',
    message: `${model.id} cannot be had now (${kind})`,
    because: message,
    fix,
  });
}

function contextTooSmall({ model, sizes }: Asked, neededTokens: number): AssayError {
  return new AssayError({
    code: 'provider',
    message: `the context of ${model.id} is too small for this task`,
    because: `the task with its instructions takes about ${neededTokens} tokens with the reply, and the model takes ${sizes.contextTokens}`,
    fix: 'name a model with a larger context, or put what is long in the task into a data file',
  });
}
