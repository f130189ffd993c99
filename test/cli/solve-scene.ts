import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { type AnalysisResult, analysisResultSchema } from '../../src/core/index.ts';
import type { ReplyAnswer } from '../../src/propose/model/scripted-server/server.fixture.ts';
import type { Ended } from './process.ts';
import { folder, lay } from './project.ts';

/** A task with data, in a folder of its own. */
export function scene(task = 'How many apples are there in stock.csv?'): {
  dir: string;
  task: string;
  data: string;
} {
  const dir = folder('task');
  lay(dir, { 'TASK.md': task, 'data/stock.csv': 'fruit,count\napple,3\npear,4\napple,5\n' });
  return { dir, task: path.join(dir, 'TASK.md'), data: path.join(dir, 'data') };
}

/** Cells of plain Python: one that reads, one that is wrong, one that mends it and leaves a file. */
export const readCell = `import csv
rows = list(csv.DictReader(open('stock.csv')))
print(len(rows), 'rows')`;
export const wrongCell = `total = sum(row['count'] for row in rows if row['fruit'] == 'apple')`;
export const rightCell = `total = sum(int(row['count']) for row in rows if row['fruit'] == 'apple')
open('apples.txt', 'w').write(str(total))
print(total)`;
export const answer = 'There are 8 apples; the number is in apples.txt.';

/** A recording of a model that says these things in turn. */
export function recorded(dir: string, replies: readonly ReplyAnswer[]): string {
  const usage = {
    inputTokens: 100,
    cacheReadTokens: 0,
    cacheWriteTokens: 0,
    outputTokens: 10,
    estimated: false,
  };
  const lines = replies.map(({ text = '', toolCalls = [] }) => ({
    request: 'hand-written',
    result: {
      ok: true,
      reply: {
        text,
        toolCalls: toolCalls.map(({ name, arguments: input }, index) => ({
          id: `call-${index + 1}`,
          name,
          input,
        })),
        finish: toolCalls.length > 0 ? 'tool_calls' : 'stop',
        usage,
      },
    },
  }));
  const header = {
    schema: 'assay-model-replay/1',
    recorded: { by: 'hand/written', at: '2026-11-30T00:00:00Z' },
  };
  const file = path.join(dir, `conversation-${replies.length}.jsonl`);
  writeFileSync(file, [header, ...lines].map((line) => `${JSON.stringify(line)}\n`).join(''));
  return `replay:${file}`;
}

export const solved = ({ stdout }: Ended): AnalysisResult => analysisResultSchema.parse(JSON.parse(stdout));
