import type { CellEvidence } from '../../core/index.ts';
import type { AnalysisState, RanCell } from './state.ts';

export const noEvidence: CellEvidence = {
  files: { created: [], changed: [], deleted: [] },
  variables: { created: [], changed: [], deleted: [] },
  figures: [],
  warnings: [],
};

/** The files and variables that there are after a cell. */
export function applyEvidence(state: AnalysisState, { cell, evidence }: RanCell): AnalysisState {
  const files = { ...state.files };
  for (const { path, bytes, sha256 } of [...evidence.files.created, ...evidence.files.changed])
    files[path] = { path, bytes, sha256, cell };
  for (const { path } of evidence.files.deleted) delete files[path];
  if (evidence.variables === null) return { ...state, files, variables: null };
  const variables = { ...state.variables };
  for (const name of evidence.variables.deleted) delete variables[name];
  for (const variable of [...evidence.variables.created, ...evidence.variables.changed]) {
    // A name that changed comes last: what was worked on lately is what matters.
    delete variables[variable.name];
    variables[variable.name] = variable;
  }
  return { ...state, files, variables };
}
