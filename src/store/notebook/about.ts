import path from 'node:path';
import type { AnalysisSpec } from '../../core/index.ts';

/** Files of data that are named; of the others their number is told. */
const mostNamed = 8;

/** What a reader of a notebook has to know before its first cell: who wrote it, and how to run it again. */
export function aboutText(spec: AnalysisSpec): string {
  return [
    `**By** ${writerOf(spec)}. What it said is text here; the code ran in a sandbox and gave the outputs below it. What failed is kept.`,
    `**To run it again** put a copy of this notebook into ${folderOf(spec)}, open it there and choose *Restart Kernel and Run All Cells*. The cells that failed fail again and are tagged \`raises-exception\`, so that the rest still runs. In Jupyter code has all your rights: read it first.`,
  ]
    .map((text) => `> ${text}`)
    .join('\n>\n');
}

function writerOf({ model, planModel, subtasks }: AnalysisSpec): string {
  const all = new Set([
    model,
    ...subtasks.flatMap((subtask) => subtask.model ?? []),
    ...(planModel === null ? [] : [planModel]),
  ]);
  return [...all].map(modelName).join(', ');
}

/** A recording is named without its folder, which says nothing to others and may be private. */
function modelName(model: string): string {
  if (!model.startsWith('replay:')) return code(model);
  return `a recorded conversation (${code(path.basename(model.slice('replay:'.length)))}), not a model that was asked in this run`;
}

function folderOf({ dataDir, data }: AnalysisSpec): string {
  if (dataDir === null) return 'an empty folder';
  if (data === null || data.total === 0) return `a copy of the data folder ${code(path.basename(dataDir))}`;
  const named = data.files.slice(0, mostNamed).map((file) => code(file.path));
  const more = data.total - named.length;
  return `a folder with a copy of its data (${named.join(', ')}${more > 0 ? ` and ${more} more` : ''})`;
}

/** A code span in Markdown, also of text that has backticks itself. */
function code(text: string): string {
  const runs = text.match(/`+/g) ?? [];
  if (runs.length === 0) return `\`${text}\``;
  const fence = '`'.repeat(Math.max(...runs.map((run) => run.length)) + 1);
  return `${fence} ${text} ${fence}`;
}
