import { z } from 'zod';
import { type ModelUsage, type Price, priceSchema } from '../../../core/index.ts';
import data from './prices.json' with { type: 'json' };

/**
 * One model of the table. `contextTokens`: what a request and its reply may come to at this price; where longer
 * prompts cost more, it ends below them.
 */
const pricedModelSchema = priceSchema.extend({ contextTokens: z.number().int().positive() });
export type PricedModel = z.infer<typeof pricedModelSchema>;

export const priceTableSchema = z.object({
  schema: z.literal('assay-prices/1'),
  /** When the figures were gathered. */
  date: z.iso.date(),
  source: z.string(),
  /** By `provider/model`. */
  models: z.record(z.string(), pricedModelSchema),
});
export type PriceTable = z.infer<typeof priceTableSchema>;

/** The table that assay ships. */
export const priceTable: PriceTable = priceTableSchema.parse(data);

export type PriceQuery = {
  /** `provider/model`, as given. */
  id: string;
  /** By model id; they go before the table. */
  overrides?: Readonly<Record<string, Price>>;
  /** Default: the one that assay ships. */
  table?: PriceTable;
};

/** What a model costs, or null where that is not known. An id with a date or the like has the price of its family. */
export function priceOf({ id, overrides = {}, table = priceTable }: PriceQuery): Price | null {
  const own = firstOf(overrides, id);
  if (own !== null) return own;
  const row = firstOf(table.models, id);
  if (row === null) return null;
  const { contextTokens: _, ...price } = row;
  return price;
}

/** How much context a model takes, or null where that is not known. */
export function contextTokensOf({ id, table = priceTable }: Omit<PriceQuery, 'overrides'>): number | null {
  return firstOf(table.models, id)?.contextTokens ?? null;
}

/** US dollars, or null where the price is not known. Of reasoning only what the provider counts as output is priced. */
export function costOf(usage: ModelUsage, price: Price | null): number | null {
  if (price === null) return null;
  const { inputTokens, cacheReadTokens, cacheWriteTokens, outputTokens } = usage;
  const { input, output, cacheRead = input, cacheWrite = input } = price;
  const fresh = Math.max(0, inputTokens - cacheReadTokens - cacheWriteTokens);
  const millionths =
    fresh * input + cacheReadTokens * cacheRead + cacheWriteTokens * cacheWrite + outputTokens * output;
  return millionths / 1_000_000;
}

function firstOf<T>(rows: Readonly<Record<string, T>>, id: string): T | null {
  for (const name of namesOf(id)) {
    const row = Object.hasOwn(rows, name) ? rows[name] : undefined;
    if (row !== undefined) return row;
  }
  return null;
}

/**
 * What providers hang on the name of a model without changing what it costs: the date of a snapshot, `latest`,
 * `preview`, a size of context in brackets. Other endings (`mini`, `pro`) name another model.
 */
const suffix = /(?:[-@](?:\d{8}|\d{4}-\d{2}-\d{2}|\d{2}-\d{2}|\d{2}-\d{4}|latest|preview|001|002)|\[1m\])$/;

/** The id itself, then its family, nearest first. */
function namesOf(id: string): string[] {
  const names = [id];
  for (let name = id.replace(suffix, ''); name !== names.at(-1); name = name.replace(suffix, '')) {
    names.push(name);
  }
  return names;
}
