import type { Clock } from '../../core/index.ts';
import type { Proposer } from '../types.ts';
import { formatHeader, formatReply } from './recording.ts';

/** Takes the recording as it is made, a line at a time; resolves when the line is kept. */
export type RecordingSink = (line: string) => void | Promise<void>;

export type RecordingOptions = {
  inner: Proposer;
  sink: RecordingSink;
  clock?: Pick<Clock, 'now'>;
  note?: string;
  /** The sink already holds the header and some replies, as when a run is resumed. Default false. */
  append?: boolean;
};

/**
 * Speaks as `inner` does and writes each reply to `sink` in the JSON-lines form that `replayProposer` reads, before
 * the reply is acted on. A sink that throws makes `propose` throw: a recording with a hole would replay wrongly.
 */
export function recordingProposer(options: RecordingOptions): Proposer {
  const { inner, sink, note } = options;
  let headerIsWritten = options.append ?? false;
  return {
    id: inner.id,
    ...(inner.project === undefined ? {} : { project: inner.project.bind(inner) }),
    async propose(feedback, tools) {
      if (!headerIsWritten) {
        const at = (options.clock?.now() ?? new Date()).toISOString();
        await sink(formatHeader({ by: inner.id, at, ...(note === undefined ? {} : { note }) }));
        headerIsWritten = true;
      }
      const reply = await inner.propose(feedback, tools);
      await sink(formatReply(reply));
      return reply;
    },
  };
}
