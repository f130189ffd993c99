import type { RepairResult } from '../core/index.ts';

export type StatusLabel = { label: string; style: 'green' | 'yellow' | 'red' };

const labels: Record<string, StatusLabel> = {
  done: { label: 'done', style: 'green' },
  already_green: { label: 'already green', style: 'green' },
  stuck: { label: 'stuck', style: 'yellow' },
  budget_exhausted: { label: 'budget exhausted', style: 'yellow' },
  unpatchable: { label: 'unpatchable', style: 'yellow' },
  tampered: { label: 'tampered', style: 'red' },
  environment_error: { label: 'cannot run the tests', style: 'red' },
  running: { label: 'running', style: 'yellow' },
  aborted: { label: 'stopped', style: 'yellow' },
  error: { label: 'error', style: 'red' },
};

/**
 * How a status of a run is called wherever people read it.
 * @param options.resumable the run has no end yet and can go on
 */
export function statusLabel(
  { status }: Pick<RepairResult, 'status'>,
  { resumable }: { resumable: boolean },
): StatusLabel {
  // What can go on by itself waits for a model: everything else that the tests lack is an end.
  if (status === 'environment_error' && resumable) return { label: 'waiting for a model', style: 'yellow' };
  return labels[status] ?? { label: status.replaceAll('_', ' '), style: 'red' };
}
