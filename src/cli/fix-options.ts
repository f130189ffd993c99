import type { GivenOptions } from './config/index.ts';
import type { PriceOption } from './parse-options.ts';
import type { OutputOptions } from './perform-run.ts';

/** The options of `assay fix`. What is undefined here may come from a configuration. */
export type FixCliOptions = Omit<GivenOptions, 'prices'> &
  OutputOptions & {
    task?: string;
    price?: PriceOption[];
    record?: string;
    trustCollected?: boolean;
    strict: boolean;
    seed: number;
    keepGoing?: boolean;
  };
