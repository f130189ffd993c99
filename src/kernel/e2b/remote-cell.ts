import type { Output } from '../../core/index.ts';
import { type Failure, failureOf } from './failure.ts';
import { changeOf, type OutputChange } from './output-change.ts';
import type { Sandbox } from './sdk.ts';
import { framesOf } from './traceback.ts';

/** How one cell ended on the other side, as far as it can be known here. */
export type RemoteEnd =
  | { kind: 'ended'; executionCount: number | null; error: { ename: string; evalue: string } | null }
  /** The interpreter's process ended, and the service started another. */
  | { kind: 'restarted' }
  | { kind: 'aborted' }
  /** The stream of outputs broke off; what became of the cell is unknown. */
  | { kind: 'cut'; detail: string }
  /** `hasStarted`: something of the cell came before. */
  | { kind: 'failed'; failure: Failure; hasStarted: boolean };

/** Takes the outputs of a cell in the order of the wire. */
export type OutputSink = { put: (output: Output) => void; apply: (change: OutputChange) => void };

/** Errors that the service puts in the place of the code's; it gives them no traceback. */
const serviceErrors = new Set([
  'ContextRestarting',
  'UnexpectedEndOfExecution',
  'WebSocketError',
  'ExecutionAborted',
]);

/**
 * Runs code in a context of a sandbox.
 *
 * @param options.timeoutMs after which the SDK breaks the request off and the service interrupts the cell
 * @param options.marksEnd the bridge is there, so that an end without its mark is a stream cut short
 */
export async function runCell(options: {
  sandbox: Sandbox;
  context: { id: string; language: string; cwd: string };
  code: string;
  timeoutMs: number;
  requestMs: number;
  marksEnd: boolean;
  apiKey: string;
  sink: OutputSink;
}): Promise<RemoteEnd> {
  const { sandbox, context, code, timeoutMs, requestMs, sink } = options;
  let hasStarted = false;
  let hasEnded = false;
  let error: { name: string; value: string; traceback: string } | null = null;
  const stream = (name: 'stdout' | 'stderr') => (message: { line: string }) => {
    hasStarted = true;
    sink.put({ output_type: 'stream', name, text: message.line });
  };
  try {
    const { executionCount } = await sandbox.runCode(code, {
      context,
      timeoutMs: Math.max(1, timeoutMs),
      requestTimeoutMs: requestMs,
      onStdout: stream('stdout'),
      onStderr: stream('stderr'),
      onResult: (result) => {
        hasStarted = true;
        const change = changeOf(result);
        if (change.kind === 'end') hasEnded = true;
        else sink.apply(change);
      },
      onError: (sent) => {
        hasStarted = true;
        error = sent;
        if (!isServiceError(sent)) sink.put(errorOutput(sent));
      },
    });
    return endOf({ executionCount: executionCount ?? null, error, hasEnded: hasEnded || !options.marksEnd });
  } catch (thrown) {
    return { kind: 'failed', failure: await failureOf(thrown, options), hasStarted };
  }
}

function endOf(facts: {
  executionCount: number | null;
  error: { name: string; value: string; traceback: string } | null;
  hasEnded: boolean;
}): RemoteEnd {
  const { executionCount, error, hasEnded } = facts;
  if (error !== null && isServiceError(error)) {
    if (error.name === 'ContextRestarting') return { kind: 'restarted' };
    if (error.name === 'ExecutionAborted') return { kind: 'aborted' };
    return { kind: 'cut', detail: `${error.name}: ${error.value}` };
  }
  if (error !== null)
    return { kind: 'ended', executionCount, error: { ename: error.name, evalue: error.value } };
  if (!hasEnded) return { kind: 'cut', detail: 'the stream of outputs ended before the cell did' };
  return { kind: 'ended', executionCount, error: null };
}

function isServiceError({ name, traceback }: { name: string; traceback: string }): boolean {
  return serviceErrors.has(name) && traceback === '';
}

function errorOutput(error: { name: string; value: string; traceback: string }): Output {
  return {
    output_type: 'error',
    ename: error.name,
    evalue: error.value,
    traceback: framesOf({ ...error, traceback: error.traceback ?? '' }),
  };
}
