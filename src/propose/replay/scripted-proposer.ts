import type { Proposed } from '../../core/index.ts';
import type { Feedback, Proposer, ProposerTools } from '../types.ts';

/** A reply, or a function that makes it from what the proposer was told. */
export type ScriptedReply =
  | Proposed
  | ((feedback: Feedback, tools: ProposerTools) => Proposed | Promise<Proposed>);

export type ScriptedProposer = Proposer & {
  /** Every feedback so far, for assertions. */
  readonly heard: readonly Feedback[];
};

/** A test double: answers from a script, then `no_proposal`. */
export function scriptedProposer(options: {
  replies: readonly ScriptedReply[];
  id?: string;
}): ScriptedProposer {
  const heard: Feedback[] = [];
  return {
    id: options.id ?? 'scripted',
    heard,
    async propose(feedback, tools) {
      const reply = options.replies[heard.length];
      heard.push(feedback);
      if (typeof reply === 'function') return reply(feedback, tools);
      return reply ?? endOfScript;
    },
  };
}

const endOfScript: Proposed = {
  kind: 'no_proposal',
  reason: 'the script is at its end',
  exhausted: null,
  usage: { tokens: 0, costUsd: 0, candidates: 0, wallMs: 0 },
};
