import type { CellEvidence, CellResult, ReplayDifference } from '../../core/index.ts';
import { lineOf } from './listings.ts';
import { outputText } from './repeats.ts';
import type { AnalysisState, RanCell } from './state.ts';

/** What is done in a fresh kernel to have it as the run left it. */
export type ReplayStep = { kind: 'cell'; ran: RanCell } | { kind: 'restart' };

/**
 * The cells that came to an end by themselves, in their order, and a new start where the state was lost. One that was
 * cut, timed out or killed its kernel is not run again: it would do so again, or do what it did not do then.
 */
export function replayOf({ cells }: Pick<AnalysisState, 'cells'>): ReplayStep[] {
  return cells.flatMap((ran): ReplayStep[] => {
    const { end } = ran.result;
    if (end.status === 'ok' || end.status === 'error') return [{ kind: 'cell', ran }];
    const lost = end.status === 'died' || ('stateLost' in end && end.stateLost && !ran.cut);
    return lost ? [{ kind: 'restart' }] : [];
  });
}

/** How a cell that was run again differs from what it gave at first, apart from noise, or null. */
export function differenceOf(
  { cell, result: before, evidence: held }: RanCell,
  now: { result: CellResult; evidence: CellEvidence },
): ReplayDifference | null {
  const { result, evidence } = now;
  const ends = [endOf(before), endOf(result)];
  if (ends[0] !== ends[1]) return { cell, detail: `it ended as ${ends[0]}, and now as ${ends[1]}` };
  const [past, present] = [before, result].map(({ outputs }) => outputs.map(outputText));
  const at = past?.findIndex((text, index) => text !== present?.[index]) ?? -1;
  if (at >= 0 || past?.length !== present?.length) {
    const quote = (text: string | undefined) =>
      text === undefined ? 'nothing' : JSON.stringify(lineOf(text, 120));
    const index = at >= 0 ? at : Math.min(past?.length ?? 0, present?.length ?? 0);
    return { cell, detail: `it put out ${quote(past?.[index])}, and now ${quote(present?.[index])}` };
  }
  const files = differingFile(held, evidence);
  return files === null ? null : { cell, detail: `the file ${files} is not the same as then` };
}

function endOf({ end }: CellResult): string {
  return end.status === 'error' ? `${end.status} (${lineOf(end.ename, 80)})` : end.status;
}

function differingFile(before: CellEvidence, now: CellEvidence): string | null {
  const made = ({ files }: CellEvidence) =>
    new Map([...files.created, ...files.changed].map(({ path, sha256 }) => [path, sha256]));
  const [past, present] = [made(before), made(now)];
  // A file too large to be hashed has no hash to compare.
  for (const [path, sha256] of past) if (present.get(path) !== sha256 && sha256 !== '') return path;
  return null;
}
