import type { AnalysisSpec, ModelReply, Output } from '../../core/index.ts';
import type { FakeReply } from '../../kernel/index.ts';
import { subtaskOf } from './plan.ts';

/** A spec for tests: one subtask, three retries, twelve turns, no other limit that matters. */
export function madeAnalysisSpec(options: Partial<AnalysisSpec> = {}): AnalysisSpec {
  const task = 'What is the mean price in prices.csv?';
  return {
    kind: 'solve',
    task,
    subtasks: [subtaskOf({ title: 'Mean price', prompt: task, index: 0 })],
    plan: false,
    planModel: null,
    dataDir: null,
    data: null,
    kernel: 'fake',
    runtime: 'jupyter',
    model: 'scripted/model',
    settings: {
      baseUrl: null,
      transport: 'auto',
      prices: { 'scripted/model': { input: 1, output: 1 } },
      contextTokens: 64_000,
      maxOutputTokens: 2_000,
    },
    images: false,
    limits: {
      retries: 3,
      totalRetries: 10,
      turns: 12,
      tokens: null,
      costUsd: null,
      wallMs: 600_000,
      cellMs: 60_000,
    },
    memoryBytes: null,
    network: false,
    checks: [],
    strict: true,
    seed: 1,
    ...options,
  };
}

/** A reply that runs these cells. */
export function madeCalls(...cells: readonly string[]): Partial<ModelReply> {
  return {
    toolCalls: cells.map((code, index) => ({
      id: `call-${index + 1}`,
      name: 'execute_code',
      input: JSON.stringify({ code }),
    })),
  };
}

/** What a fake kernel answers to a cell that prints. */
export const madePrint = (text: string): FakeReply => ({
  outputs: [{ output_type: 'stream', name: 'stdout', text }],
});

/** What a fake kernel answers to a cell that raises. */
export function madeError(ename: string, evalue: string): FakeReply {
  const output: Output = {
    output_type: 'error',
    ename,
    evalue,
    traceback: [`Traceback (most recent call last)`, `${ename}: ${evalue}`],
  };
  return { end: { status: 'error', ename, evalue }, outputs: [output] };
}
