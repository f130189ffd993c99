import { comparison } from './comparison.ts';
import type { Template } from './template.ts';

/** Every family of edits. A new one is one file here. */
export const templates: readonly Template[] = [comparison];
