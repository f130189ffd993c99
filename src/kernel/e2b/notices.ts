/** Said with the result of the cell that finds it so. */
export const startedAnew =
  'The interpreter did not answer any more and was started anew: all variables are gone, files are kept.';

/** Said once of an interpreter. */
export const noBridge =
  'The interpreter of this template is no IPython kernel: texts in quotes come without them, displays are not updated, and a cell can only be interrupted by breaking it off.';
