import { afterAll } from 'vitest';
import {
  type ReplyAnswer,
  type Script,
  type ScriptedServer,
  startScriptedServer,
} from '../../src/propose/model/scripted-server/server.fixture.ts';

const servers: ScriptedServer[] = [];
afterAll(() => Promise.all(servers.map((server) => server.close())));

/** A model's server, gone when the tests of the file are over. */
export async function serve(script: Script): Promise<ScriptedServer> {
  const server = await startScriptedServer({ script });
  servers.push(server);
  return server;
}

export type Edit = { op: string; path: string; [field: string]: unknown };

/** A call of the tool that patches are proposed with. */
export function proposes(edits: readonly Edit[], motivation = 'a hundred is small'): ReplyAnswer {
  return {
    toolCalls: [{ name: 'propose_patch', arguments: JSON.stringify({ motivation, edits }) }],
    usage: { input: 1_000, output: 50 },
  };
}

export const mendingEdit: Edit = {
  op: 'replace',
  path: 'shop.py',
  search: 'total < 100',
  replace: 'total <= 100',
};

/** The patch that makes the red project green. */
export const mends = proposes([mendingEdit]);

/** The options that have this server asked. */
export const asking = ({ url }: ScriptedServer) => ['--model', 'openai-compatible/x', '--base-url', url];
