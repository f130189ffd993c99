import type { RepairEvent } from '../core/index.ts';
import type { CallLog } from '../propose/index.ts';
import type { EventOf, PastCall } from './repair-state.ts';

/**
 * The log of one `propose`: it journals each call, and gives the results of a killed process again in their order.
 * @param options.emit resolves when the event is in the journal; `sync`: on disk
 */
export function callLog(options: {
  round: number;
  past: readonly PastCall[];
  emit: (event: RepairEvent, options: { sync: boolean }) => Promise<void>;
}): CallLog {
  const { round, emit } = options;
  return {
    ...replayOf(options.past),
    calling: ({ model, projection }) =>
      emit({ type: 'model_calling', round, model, projection }, { sync: true }),
    called: (called) =>
      emit({ type: 'model_called', round, ...called } satisfies EventOf<'model_called'>, { sync: true }),
  };
}

/** Gives journaled results again, each for its own request and in their order. */
export const givenAgain = (past: readonly Journaled[]): CallLog['past'] => replayOf(past).past;

type Journaled = Pick<PastCall, 'request' | 'result'> & Partial<Pick<PastCall, 'left'>>;

function replayOf(past: readonly Journaled[]): Required<Pick<CallLog, 'past' | 'leftThen'>> {
  const rest = [...past];
  return {
    past(request) {
      const [next] = rest;
      if (next?.request !== request) {
        // From here on the process does something else: later results answer what it will not ask.
        rest.length = 0;
        return null;
      }
      rest.shift();
      return next.result;
    },
    leftThen: () => rest[0]?.left ?? null,
  };
}
