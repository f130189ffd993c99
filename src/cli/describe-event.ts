import type { RepairEvent } from '../core/index.ts';
import { toldRefusal } from '../patch/index.ts';
import { describeReport } from './describe-report.ts';
import { describeSpent } from './describe-spent.ts';

/** One event as a line of progress; null for those that say nothing to a person. */
export function describeEvent(event: RepairEvent): string | null {
  switch (event.type) {
    case 'run_started':
      return `fix ${event.spec.dir} with ${event.spec.proposer}`;
    case 'baseline_tested':
      return `${event.again ? 'baseline again' : 'baseline'}: ${describeReport(event.report)}${seconds(event.wallMs)}`;
    case 'proposed':
      return `round ${event.round}: ${describeProposed(event.proposed)}`;
    case 'applied':
      return null;
    case 'refused':
      return `round ${event.round}: not applied: ${event.refusals.map(toldRefusal).join('; ')}`;
    case 'tested':
      return `round ${event.round}: ${event.again ? 'tests again' : 'tests'}: ${describeReport(event.report)}${seconds(event.wallMs)}`;
    case 'confirmed': {
      const held =
        event.heldOut === null ? '' : `, held-out ${event.heldOut.passed} of ${event.heldOut.total}`;
      return `round ${event.round}: ${event.agreed ? 'confirmed' : 'NOT confirmed'} in a fresh sandbox${held}${seconds(event.wallMs)}`;
    }
    case 'steered':
      return `told: ${event.text}`;
    case 'stopped':
      return `stopped: ${event.detail}`;
    case 'resumed':
      return `taken up again${(event.changed ?? []).length > 0 ? ', with the files as they were when the run began' : ''}`;
    case 'effect_started':
    case 'model_calling':
    case 'model_called':
    case 'candidates':
    // The end tells why.
    case 'effect_failed':
    case 'run_ended':
      return null;
  }
}

type Proposed = Extract<RepairEvent, { type: 'proposed' }>['proposed'];

function describeProposed(proposed: Proposed): string {
  const tried = describeUsed(proposed.usage);
  switch (proposed.kind) {
    case 'proposal':
      return `${proposed.motivation}${tried}`;
    case 'no_proposal':
      return `nothing to propose: ${proposed.reason}${/\bcandidates? tried\b/.test(proposed.reason) ? describeUsed({ ...proposed.usage, candidates: 0 }) : tried}`;
    case 'malformed':
      return `no usable proposal: ${proposed.problem.split('\n', 1)[0]}${tried}`;
  }
}

function describeUsed({ candidates, ...models }: Proposed['usage']): string {
  const parts = [
    ...(candidates > 0 ? [`${candidates} ${candidates === 1 ? 'candidate' : 'candidates'}`] : []),
    ...(models.tokens > 0 ? [describeSpent(models)] : []),
  ];
  return parts.length === 0 ? '' : ` (${parts.join(', ')})`;
}

const seconds = (ms: number) => ` (${(ms / 1000).toFixed(1)} s)`;
