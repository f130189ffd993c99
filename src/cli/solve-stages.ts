import path from 'node:path';
import { type AnalysisSpec, AssayError, type Subtask } from '../core/index.ts';
import type { OfSubtask } from './solve-options.ts';
import { readText } from './solve-task.ts';

const maxInstructions = 64 * 1024;

/**
 * Gives single subtasks what is theirs: a file of instructions, a model.
 * @throws AssayError `usage` for a subtask that is not there, or a file that cannot be read
 */
export function withStages(
  spec: AnalysisSpec,
  options: { cwd: string; instructions: readonly OfSubtask[]; models: readonly OfSubtask[] },
): AnalysisSpec {
  const { cwd, instructions, models } = options;
  const subtasks = spec.subtasks.map((subtask) => ({ ...subtask }));
  const find = (given: OfSubtask, option: string): Subtask => {
    const found = spec.plan
      ? undefined
      : subtasks.find(({ id }, index) => id === given.subtask || String(index + 1) === given.subtask);
    if (found === undefined) throw noSubtask(spec, given, option);
    return found;
  };
  for (const each of instructions)
    find(each, '--instructions').instructions = readText(path.resolve(cwd, each.value), {
      what: 'file of instructions',
      maxBytes: maxInstructions,
    });
  let { planModel } = spec;
  for (const each of models) {
    if (each.subtask === 'plan' && spec.plan) planModel = each.value;
    else find(each, '--model-for').model = each.value;
  }
  return { ...spec, subtasks, planModel };
}

function noSubtask(
  { subtasks, plan }: AnalysisSpec,
  { subtask, value }: OfSubtask,
  option: string,
): AssayError {
  return new AssayError({
    code: 'usage',
    message: `${option} ${subtask}=${value}: there is no subtask ${subtask}`,
    because: plan
      ? 'with --plan the subtasks are not known beforehand'
      : `there are: ${subtasks.map(({ id }) => id).join(', ')}`,
    fix:
      plan && option === '--model-for'
        ? 'with --plan only plan=MODEL can be given: the model that splits the task'
        : 'name one by its number or its id',
  });
}
