import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type AnalysisSpec, analysisSpecSchema } from '../../core/index.ts';
import { aboutText } from './about.ts';

const spec = (parts: Partial<AnalysisSpec>): AnalysisSpec =>
  analysisSpecSchema.parse({
    kind: 'solve',
    task: 'Count.',
    subtasks: [{ id: '1-count', title: 'Count', prompt: 'Count.' }],
    plan: false,
    dataDir: null,
    kernel: 'python3',
    runtime: 'jupyter',
    model: 'anthropic/claude-sonnet-5-5',
    settings: { transport: 'auto', maxOutputTokens: 1, contextTokens: 1, baseUrl: null, prices: {} },
    limits: { retries: 1, totalRetries: 1, turns: 1, tokens: null, costUsd: null, wallMs: 1, cellMs: 1 },
    checks: [],
    seed: 1,
    ...parts,
  });
const files = (...paths: string[]) => paths.map((path) => ({ path, bytes: 1 }));

describe('what a reader has to know before a notebook', () => {
  it('names each model that had a part in it', () => {
    const subtasks = [
      { id: '1-a', title: 'A', prompt: '', instructions: null, model: null },
      { id: '2-b', title: 'B', prompt: '', instructions: null, model: 'openai/gpt-6' },
    ];
    const text = aboutText(spec({ subtasks, planModel: 'anthropic/claude-sonnet-5-5' }));
    expect(text).toContain('**Made by** `anthropic/claude-sonnet-5-5`, `openai/gpt-6`, with assay.');
  });

  it('says that a conversation was recorded, and nothing of where the recording lay', () => {
    const text = aboutText(spec({ model: 'replay:/home/ann/secret-project/talk.jsonl' }));
    expect(text).toContain(
      '**Made from a recorded conversation** (`talk.jsonl`), with assay: no model was asked',
    );
    expect(text).not.toContain('ann/');
    expect(text).not.toContain('Made by');
  });

  it('names the files that the code reads, some where they are many, and not where they lay', () => {
    const dataDir = '/home/ann/rain';
    const few = aboutText(spec({ dataDir, data: { files: files('a.csv', 'b/c.csv'), total: 2 } }));
    expect(few).toContain('a folder with a copy of its data (`a.csv`, `b/c.csv`), open it there');
    const names = Array.from({ length: 200 }, (_, at) => `day-${at}.csv`);
    const many = aboutText(spec({ dataDir, data: { files: files(...names), total: 10_000 } }));
    expect(many).toContain('`day-7.csv` and 9992 more)');
    const unlisted = aboutText(spec({ dataDir, data: null }));
    expect(unlisted).toContain('a copy of the data folder `rain`');
    for (const text of [few, many, unlisted]) expect(text).not.toContain('/home/ann');
    expect(aboutText(spec({}))).toContain('an empty folder');
  });

  it('keeps every file name within its code span', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[`a*<]{1,12}$/), (name) => {
        const text = aboutText(spec({ dataDir: '/d', data: { files: files(name), total: 1 } }));
        const span = /\((`+)(.+?)(?<!`)\1\)/.exec(text);
        expect(span?.[2]?.trim()).toBe(name);
      }),
    );
  });
});
