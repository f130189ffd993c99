import type {
  AnalysisEffect,
  AnalysisEnd,
  AnalysisEvent,
  AnalysisSpec,
  CellArtifact,
  CellEvidence,
  CellPurpose,
  CellResult,
  KernelFile,
  ModelResult,
  Projection,
  Subtask,
  SubtaskEnd,
  ToolCall,
  Usage,
  Variable,
} from '../../core/index.ts';
import { noUsage } from '../budget.ts';

/** What a tool call asks for; `nothing`: it asks for nothing that can be done, and is answered with why. */
export type Want =
  | { kind: 'cell'; code: string }
  | { kind: 'read'; path: string; from: number }
  | { kind: 'artifacts' }
  | { kind: 'variables' }
  | { kind: 'nothing'; because: string };

/** `cell`: what this cell gave, told as the room in the context allows · `text`: the loop's own · `data`: another's. */
export type Answer =
  | { kind: 'cell'; cell: number }
  | { kind: 'text'; text: string }
  | { kind: 'data'; label: string; text: string };

/** One tool call of a reply; answered in order. */
export type Job = { call: ToolCall; want: Want; answer: Answer | null };

/** The conversation of one subtask. A note is a message of the loop, or of the user where `by` says so. */
export type Entry =
  /** `byText`: its calls are blocks of its text, and are answered in text. */
  | { kind: 'reply'; turn: number; text: string; jobs: Job[]; byText: boolean }
  | { kind: 'reflection'; cell: number; failures: number }
  | { kind: 'note'; by: 'loop' | 'user'; text: string };

/** A cell that ran. `cut`: the process was killed meanwhile, and nobody knows what it gave. */
export type RanCell = {
  subtask: string;
  cell: number;
  purpose: CellPurpose;
  code: string;
  result: CellResult;
  evidence: CellEvidence;
  artifacts: CellArtifact[];
  cut: boolean;
};

/** One subtask that was begun. */
export type Part = {
  subtask: Subtask;
  turns: number;
  cells: number;
  failed: number;
  succeeded: number;
  /** Failed cells since the last one that succeeded. */
  failures: number;
  /** Tool calls of any kind. */
  calls: number;
  /** The reminder that there are tools was given. */
  reminded: boolean;
  /** The checks' answer went back once. */
  toldChecks: boolean;
  /** Replies since the last one of use that were cut or said nothing. */
  cutShort: number;
  /** What was done and what came of it, of the last few cells, to see that nothing new comes. */
  signatures: string[];
  /** The repetition was told of, and nothing new has come since. */
  toldRepeat: boolean;
  summary: string;
  end: SubtaskEnd | null;
};

/**
 * The states of DESIGN.md. In `tool_call_issued`, `artifact_captured` and `error_observed` the next call of the reply is
 * due, if one is left; else, as in `prompted` and `reflection_retry`, the model is asked.
 */
export type Phase =
  | { at: 'planning'; attempt: number; problem: string | null }
  | { at: 'prompted' | 'reflection_retry' }
  | { at: 'tool_call_issued' | 'code_executing' | 'artifact_captured' | 'error_observed' }
  /** The model says so; `claims` and then the user's `checks` are looked at. */
  | { at: 'subtask_complete'; claims: string[] | null; checks: number[]; problems: string[] }
  | { at: 'closing'; end: SubtaskEnd }
  | { at: 'ended'; end: AnalysisEnd };

/** A call to a model that was journaled; `request`: the sha256 of what was asked. */
export type PastCall = { request: string; result: ModelResult; usage: Usage };
export type Calls = { past: PastCall[]; inFlight: Projection | null };
export const noCalls: Calls = { past: [], inFlight: null };

export type Pending = { id: number; attempt: number; effect: AnalysisEffect; projection: Projection };

/** `none`: not opened by this process yet · `gone`: its process ended. */
export type KernelState = {
  is: 'none' | 'ready' | 'gone';
  because: string;
  info: Extract<AnalysisEvent, { type: 'kernel_opened' }>['kernel'] | null;
  /** Cells in a row that ended its process. */
  deaths: number;
  /** Times in a row that it was not to be had. */
  losses: number;
};

export type Halt = Extract<AnalysisEnd, { status: 'aborted' | 'environment_error' | 'kernel_lost' }>;

export type AnalysisState = {
  spec: AnalysisSpec;
  subtasks: Subtask[];
  /** The subtasks that were begun, in order; the last one is worked on. */
  parts: Part[];
  phase: Phase;
  entries: Entry[];
  cells: RanCell[];
  /** Files that cells made or changed, as they are now, with the cell that did so last. */
  files: Record<string, KernelFile & { cell: number }>;
  /** As they are now; null where the kernel cannot tell. */
  variables: Record<string, Variable> | null;
  kernel: KernelState;
  enforcement: Extract<AnalysisEvent, { type: 'kernel_opened' }>['enforcement'];
  /** What the user said to the run, all of it. */
  steering: string[];
  warnings: string[];
  /** A server refused a request for its tools: it is asked in text from then on. */
  toolsFail: boolean;
  spent: Usage;
  lost: Usage;
  pending: Pending | null;
  /** Charged by calls of the effect in flight already, so that its end does not charge it again. */
  counted: Usage;
  calls: Calls;
  /** What the run stands still with, until it is resumed. */
  halted: Halt | null;
};

export type EventOf<T extends AnalysisEvent['type']> = Extract<AnalysisEvent, { type: T }>;

export function startAnalysis(spec: AnalysisSpec): AnalysisState {
  const state: AnalysisState = {
    spec,
    subtasks: spec.subtasks,
    parts: [],
    phase: { at: 'planning', attempt: 1, problem: null },
    entries: [],
    cells: [],
    files: {},
    variables: {},
    kernel: { is: 'none', because: '', info: null, deaths: 0, losses: 0 },
    enforcement: null,
    steering: [],
    warnings: [],
    toolsFail: false,
    spent: noUsage,
    lost: noUsage,
    pending: null,
    counted: noUsage,
    calls: noCalls,
    halted: null,
  };
  return spec.plan ? state : beginPart(state);
}

/** Begins the next subtask that was not begun yet. */
export function beginPart(state: AnalysisState): AnalysisState {
  const subtask = state.subtasks[state.parts.length];
  if (subtask === undefined) throw new Error('there is no subtask left');
  const part: Part = {
    subtask,
    turns: 0,
    cells: 0,
    failed: 0,
    succeeded: 0,
    failures: 0,
    calls: 0,
    reminded: false,
    toldChecks: false,
    cutShort: 0,
    signatures: [],
    toldRepeat: false,
    summary: '',
    end: null,
  };
  return { ...state, parts: [...state.parts, part], entries: [], phase: { at: 'prompted' } };
}

/** The subtask that is worked on. */
export function partOf(state: AnalysisState): Part {
  const part = state.parts.at(-1);
  if (part === undefined) throw new Error('no subtask was begun');
  return part;
}

export const withPart = (state: AnalysisState, change: Partial<Part>): AnalysisState => ({
  ...state,
  parts: [...state.parts.slice(0, -1), { ...partOf(state), ...change }],
});

export const withNote = (
  state: AnalysisState,
  text: string,
  by: 'loop' | 'user' = 'loop',
): AnalysisState => ({
  ...state,
  entries: [...state.entries, { kind: 'note', by, text }],
});

export const closing = (state: AnalysisState, end: SubtaskEnd): AnalysisState => ({
  ...state,
  phase: { at: 'closing', end },
});

/** Checks of the user that are run when the subtask that is worked on is claimed to be complete, by index. */
export function dueChecks({ spec, subtasks, parts }: AnalysisState): number[] {
  const id = parts.at(-1)?.subtask.id;
  const isLast = parts.length === subtasks.length;
  return spec.checks.flatMap(({ subtask }, index) =>
    subtask === id || (subtask === null && isLast) ? [index] : [],
  );
}

/** Whether cells are asked for as blocks of text: where the user says so, or a server takes no tools. */
export const usesText = ({ spec, toolsFail }: AnalysisState): boolean =>
  spec.settings.transport === 'text' || (spec.settings.transport === 'auto' && toolsFail);

/** Whether a provider refused a request for its tools. */
export const isToolTrouble = (result: ModelResult): boolean =>
  !result.ok && result.failure.kind === 'bad_request' && /tool|function/i.test(result.failure.message);

/** Whether the code itself went wrong: what a retry is for. The user's interrupt and a lost kernel are not. */
export const isFailed = ({ end }: CellResult): boolean => end.status === 'error' || end.status === 'timeout';
