import type { DisplayUpdate, Output } from '../../core/index.ts';
import { type Content, countOf, type Message, recordOf, stringOf } from './message.ts';

/** What a message on the IOPub channel does to the outputs of its cell. */
export type OutputChange =
  | { kind: 'put'; output: Output }
  | { kind: 'update'; update: DisplayUpdate }
  | { kind: 'clear'; wait: boolean };

/** null for a message that is no output. */
export function outputChange({ type, content }: Message): OutputChange | null {
  switch (type) {
    case 'stream': {
      const name = content.name === 'stderr' ? 'stderr' : 'stdout';
      return { kind: 'put', output: { output_type: 'stream', name, text: stringOf(content.text) } };
    }
    case 'display_data':
      return { kind: 'put', output: { output_type: 'display_data', ...shown(content) } };
    case 'execute_result': {
      const execution_count = countOf(content.execution_count);
      return { kind: 'put', output: { output_type: 'execute_result', execution_count, ...shown(content) } };
    }
    case 'error':
      return { kind: 'put', output: { output_type: 'error', ...failure(content) } };
    case 'update_display_data': {
      const { displayId, data, metadata } = shown(content);
      return displayId === undefined ? null : { kind: 'update', update: { displayId, data, metadata } };
    }
    case 'clear_output':
      return { kind: 'clear', wait: content.wait === true };
    default:
      return null;
  }
}

export function failure(content: Content): { ename: string; evalue: string; traceback: string[] } {
  const traceback = Array.isArray(content.traceback) ? content.traceback.map(String) : [];
  return { ename: stringOf(content.ename), evalue: stringOf(content.evalue), traceback };
}

function shown(content: Content): {
  data: Record<string, unknown>;
  metadata: Record<string, unknown>;
  displayId?: string;
} {
  const displayId = recordOf(content.transient)?.display_id;
  return {
    data: recordOf(content.data) ?? {},
    metadata: recordOf(content.metadata) ?? {},
    ...(typeof displayId === 'string' ? { displayId } : {}),
  };
}
