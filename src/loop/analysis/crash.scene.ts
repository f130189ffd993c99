import type { ScriptedModelReply } from '../../propose/index.ts';
import { madeAnalysisSpec, madeCalls } from './made.ts';
import { subtaskOf } from './plan.ts';

/** An analysis of two subtasks, the same in the process that is killed and in the one that goes on. */
export const crashSpec = madeAnalysisSpec({
  subtasks: ['Explore', 'Answer'].map((title, index) => subtaskOf({ title, prompt: title, index })),
  checks: [{ name: 'the check', code: 'print check', subtask: null }],
});

export const crashReplies: readonly ScriptedModelReply[] = [
  madeCalls('print 1', 'save rows.csv'),
  madeCalls('raise no column'),
  madeCalls('print 2'),
  'There are 12 rows, in rows.csv.',
  madeCalls('print 3', 'save mean.csv'),
  'The mean is 4, in mean.csv.',
];
