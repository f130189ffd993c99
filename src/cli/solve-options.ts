import type { PriceOption } from './parse-options.ts';
import type { OutputOptions } from './perform-run.ts';

/** `N=VALUE` of an option that is of one subtask: its number or id, or `plan`. */
export type OfSubtask = { subtask: string; value: string };

/** The options of `assay solve`. What is undefined here may come from a configuration, or has a default. */
export type SolveCliOptions = Omit<OutputOptions, 'write'> & {
  data?: string;
  model?: string;
  modelFor?: OfSubtask[];
  instructions?: OfSubtask[];
  kernel?: string;
  runtime: 'jupyter' | 'e2b';
  network?: boolean;
  checks?: string;
  plan?: boolean;
  images?: boolean;
  maxRetries: number;
  maxTurns: number;
  maxCost?: number;
  maxTokens?: number;
  maxOutputTokens?: number;
  contextTokens?: number;
  memory?: number;
  timeout: number;
  cellTimeout: number;
  baseUrl?: string;
  price?: PriceOption[];
  record?: string;
  strict: boolean;
  seed: number;
};
