import type { FrameworkId } from '../types.ts';
import type { Framework } from './framework.ts';

/** Every framework the lab can judge. A new one is one file in this folder and one line here. */
export const frameworks: Readonly<Partial<Record<FrameworkId, Framework>>> = {};
