import type { Coverage } from '../../../core/index.ts';
import type { Feedback, ProposerTools } from '../../types.ts';
import { charactersIn } from './estimate.ts';
import type { Fence } from './fence.ts';
import { gatherMaterial } from './material.ts';
import { packFeedback } from './pack.ts';

export type OpeningOptions = {
  feedback: Feedback;
  tools: Pick<ProposerTools, 'files' | 'read' | 'protectedBecause'>;
  coverage: Coverage | null;
  budgetTokens: number;
  clean: (text: string) => string;
};

/** Of the budget, what the rest of a small project may take: every round pays for it. */
const restShare = 1 / 3;

export type Opening =
  /** `complete`: it holds every text file of the project in full, so that there is nothing more to read. */
  { ok: true; text: string; fence: Fence; complete: boolean } | { ok: false; neededTokens: number };

/** The first message of a proposal: what `packFeedback` makes of the project as it is now. */
export function openingOf({ feedback, tools, coverage, budgetTokens, clean }: OpeningOptions): Opening {
  const maxOtherChars = Math.floor(charactersIn(budgetTokens) * restShare);
  const { sources, files, complete } = gatherMaterial({ feedback, tools, coverage, maxOtherChars });
  const packed = packFeedback({ feedback, sources, files: complete ? [] : files, budgetTokens, clean });
  if (!packed.ok) return packed;
  const { text, fence, whole } = packed;
  return { ok: true, text, fence, complete: complete && sources.every(({ path }) => whole.has(path)) };
}
