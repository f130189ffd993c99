import { existsSync } from 'node:fs';
import path from 'node:path';
import type { ReplyAnswer } from '../../src/propose/model/scripted-server/server.fixture.ts';

const venv = path.resolve(import.meta.dirname, '../../.venv');

/** The kernel of the project's own environment, where there is one. */
export const kernelEnv = existsSync(venv) ? { VIRTUAL_ENV: venv } : {};

/** A reply that runs these cells, or says `text` alone. */
export const runs = (...cells: readonly string[]): ReplyAnswer => ({
  toolCalls: cells.map((code) => ({ name: 'execute_code', arguments: JSON.stringify({ code }) })),
  usage: { input: 500, output: 40 },
});
export const says = (text: string): ReplyAnswer => ({ text, usage: { input: 600, output: 20 } });
