import type { AnalysisEffect, AnalysisEnd, AnalysisLimits, Projection } from '../../core/index.ts';
import { projectionFor, projectionOf } from '../../propose/index.ts';
import { type Left, leftOf, refusalOf } from '../budget.ts';
import type { Budget } from '../drive.ts';
import { type Context, contextOf } from './context.ts';
import { type Asked, modelIdFor } from './models.ts';
import { planRequest } from './plan.ts';
import type { AnalysisState } from './state.ts';

/** The limits in the shape that every loop's budget is reckoned in: no rounds, no candidates. */
export const asLimits = ({ tokens, costUsd, wallMs }: AnalysisLimits) => ({
  rounds: Number.MAX_SAFE_INTEGER,
  tokens,
  costUsd,
  wallMs,
  candidates: null,
});

export const leftIn = ({ spec, spent }: AnalysisState): Left =>
  leftOf(asLimits(spec.limits), { ...spent, rounds: 0 });

const leastTokens = 8_000;
const imageTokens = 1_600;

/** The context of the next turn, halved until what is left of the budgets pays for it, down to what is of use at all. */
export function affordableContext(state: AnalysisState, { price, sizes, made }: Asked): Context {
  const left = leftIn(state);
  for (let budgetTokens = 60_000; ; budgetTokens = Math.floor(budgetTokens / 2)) {
    const context = contextOf(state, { sizes, budgetTokens, made });
    if (!context.ok || budgetTokens / 2 < leastTokens) return context;
    const { tokens = 0, costUsd } = projectionWithImages(context, price);
    const paid = (left.tokens ?? Number.POSITIVE_INFINITY) >= tokens;
    if (paid && (left.costUsd ?? Number.POSITIVE_INFINITY) >= (costUsd ?? 0)) return context;
  }
}

function projectionWithImages(
  { request, images }: Context & { ok: true },
  price: Asked['price'],
): Projection {
  const { tokens = 0 } = projectionOf(request, price);
  const inputTokens = tokens - request.maxOutputTokens + imageTokens * images.length;
  return projectionFor({ inputTokens, outputTokens: request.maxOutputTokens, price });
}

/** A call to a model is projected at what it costs at most. The rest takes some time, so none may be used up. */
export function analysisBudget(
  asked: (id: string) => Asked,
): Budget<AnalysisState, AnalysisEffect, AnalysisEnd> {
  return {
    project(state, effect) {
      switch (effect.kind) {
        case 'plan': {
          const { sizes, price } = asked(modelIdFor(effect, state));
          const problem = state.phase.at === 'planning' ? state.phase.problem : null;
          return { wallMs: 0, ...projectionOf(planRequest(state, problem, sizes), price) };
        }
        case 'ask': {
          const voice = asked(modelIdFor(effect, state));
          const context = affordableContext(state, voice);
          // What does not fit the model is told when it is asked.
          return { wallMs: 0, ...(context.ok ? projectionWithImages(context, voice.price) : {}) };
        }
        case 'open':
        case 'restart':
        case 'cell':
          return { wallMs: 0 };
        case 'read':
        case 'check':
        case 'close':
          return {};
      }
    },
    refuse(state, projection) {
      const limits = asLimits(state.spec.limits);
      const excess = refusalOf({ limits, spent: { ...state.spent, rounds: 0 }, projection });
      if (excess === null) return null;
      const { which, used, limit } = excess;
      const name = which === 'costUsd' ? 'cost' : which === 'wallMs' ? 'wall' : 'tokens';
      const subtask = state.parts.at(-1)?.subtask.id ?? null;
      return { status: 'budget_exhausted', which: name, used, limit, subtask };
    },
  };
}
