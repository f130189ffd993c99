import type { AnalysisEffect, AnalysisSpec, Price } from '../../core/index.ts';
import { type CallSizes, callSizes, type Model, priceOf } from '../../propose/index.ts';
import type { MadeBlocks } from './conversation.ts';
import type { AnalysisState } from './state.ts';

/** A model with what is known of it. `made`: parts of what it was told, kept for its next turn. */
export type Asked = { model: Model; price: Price | null; sizes: CallSizes; made: MadeBlocks };

/** The model of each id that a spec names. */
export type ModelOf = (id: string) => Model;

/** Which model an effect asks. */
export function modelIdFor(effect: AnalysisEffect, { spec, parts }: AnalysisState): string {
  if (effect.kind === 'plan') return spec.planModel ?? spec.model;
  return parts.at(-1)?.subtask.model ?? spec.model;
}

/** Looks up models, prices and sizes, each once. */
export function askedOf(modelOf: ModelOf, { settings }: AnalysisSpec): (id: string) => Asked {
  const known = new Map<string, Asked>();
  return (id) => {
    const found = known.get(id);
    if (found !== undefined) return found;
    const model = modelOf(id);
    const price = priceOf({ id: model.id, overrides: settings.prices });
    const asked = { model, price, sizes: callSizes(model.id, settings), made: new WeakMap() };
    known.set(id, asked);
    return asked;
  };
}
