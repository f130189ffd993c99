import path from 'node:path';
import type { AnalysisSpec } from '../../core/index.ts';

const replay = 'replay:';

/** Files of data that are named; of the others their number is told. */
const mostNamed = 8;

/** What a reader of a notebook has to know before its first cell: who wrote it, and how to run it again. */
export function aboutText(spec: AnalysisSpec): string {
  return [
    `${writersOf(spec)} What was said is text here; what was run, in a sandbox, is code with the outputs it gave. Nothing that failed was left out.`,
    `**To run it again** put a copy of this notebook into ${folderOf(spec)}, open it there and choose *Restart Kernel and Run All Cells*. A cell that failed fails again; it is tagged \`raises-exception\`, so that the rest still runs. Outside assay there is no sandbox around the code.`,
  ]
    .map((text) => `> ${text}`)
    .join('\n>\n');
}

function writersOf({ model, planModel, subtasks }: AnalysisSpec): string {
  const models = new Set([model, ...subtasks.map((subtask) => subtask.model ?? model), planModel ?? model]);
  const asked = [...models].filter((one) => !one.startsWith(replay));
  const recorded = [...models].filter((one) => one.startsWith(replay));
  // The folder of a recording says nothing to others and may be private.
  const names = recorded.map((one) => path.basename(one.slice(replay.length)));
  const sentences = [
    ...(asked.length === 0 ? [] : [`**Made by** ${listed(asked)}, with assay.`]),
    ...(recorded.length === 0
      ? []
      : [`**Made from a recorded conversation** (${listed(names)}), with assay: no model was asked for it.`]),
  ];
  return sentences.join(' ');
}

const listed = (names: readonly string[]) => names.map(code).join(', ');

function folderOf({ dataDir, data }: AnalysisSpec): string {
  if (dataDir === null) return 'an empty folder';
  if (data === null || data.total === 0) return `a copy of the data folder ${code(path.basename(dataDir))}`;
  const named = data.files.slice(0, mostNamed).map((file) => file.path);
  const more = data.total - named.length;
  return `a folder with a copy of its data (${listed(named)}${more > 0 ? ` and ${more} more` : ''})`;
}

/** A code span in Markdown, also of text that has backticks itself. */
function code(text: string): string {
  const runs = text.match(/`+/g) ?? [];
  if (runs.length === 0) return `\`${text}\``;
  const fence = '`'.repeat(Math.max(...runs.map((run) => run.length)) + 1);
  return `${fence} ${text} ${fence}`;
}
