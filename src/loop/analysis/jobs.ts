import type { AnalysisState, Answer, Job } from './state.ts';

/** The next call of the last reply that is due, or null. */
export function dueJob(state: AnalysisState): Job | null {
  const reply = state.entries.findLast((entry) => entry.kind === 'reply');
  return reply?.jobs.find(({ answer }) => answer === null) ?? null;
}

/** Answers the calls that are due in their order, as long as `answer` has one for the next. */
export function answerJobs(
  state: AnalysisState,
  answer: (job: Job, index: number) => Answer | null,
): AnalysisState {
  const at = state.entries.findLastIndex((entry) => entry.kind === 'reply');
  const reply = state.entries[at];
  if (reply?.kind !== 'reply') return state;
  let open = true;
  const jobs = reply.jobs.map((job, index) => {
    if (!open || job.answer !== null) return job;
    const given = answer(job, index);
    open = given !== null;
    return given === null ? job : { ...job, answer: given };
  });
  return { ...state, entries: state.entries.with(at, { ...reply, jobs }) };
}
