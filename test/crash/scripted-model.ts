import {
  type ScriptedServer,
  startScriptedServer,
} from '../../src/propose/model/scripted-server/server.fixture.ts';
import { type CrashKind, notQuite, right, search } from './project.ts';

/**
 * A model's server for the crash project. It says the same to the same request: it first reads, then proposes what is
 * not quite right, and what is right once it is told of that. That of `text_model` answers no tool but in prose.
 */
export const startCrashModel = (kind: CrashKind): Promise<ScriptedServer> =>
  startScriptedServer({
    script: ({ body }) => {
      const told = JSON.stringify(body);
      const usage = { input: 100, output: 10 };
      const { motivation, replace } = told.includes(notQuite.motivation) ? right : notQuite;
      if (kind === 'text_model') {
        const text = told.includes('"tools":')
          ? 'The comparison is wrong.'
          : `${motivation}\n\nshop.py\n<<<<<<< SEARCH\n${search}\n=======\n${replace}\n>>>>>>> REPLACE\n`;
        return { text, usage, delayMs: 5 };
      }
      if (!told.includes('"role":"tool"'))
        return { toolCalls: [{ name: 'list_files', arguments: '{}' }], usage, delayMs: 5 };
      const edits = [{ op: 'replace', path: 'shop.py', search, replace }];
      const call = { name: 'propose_patch', arguments: JSON.stringify({ motivation, edits }) };
      return { toolCalls: [call], usage, delayMs: 5 };
    },
  });
