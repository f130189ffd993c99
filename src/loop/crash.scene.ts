import type { Proposed } from '../core/index.ts';
import type { ScriptedReply } from '../propose/index.ts';
import { noUsage } from './budget.ts';
import { type FakeLabOptions, fakeLab } from './fake-lab.ts';
import { madeSpec } from './made.ts';

/** A repair of three rounds, the same in the process that is killed and in the one that goes on. */
export const crashSpec = madeSpec({ dir: '/no/such/folder' });

const source = 'a = 1\nb = 2\nc = 3\n';
const wants = (text: string) => (files: ReadonlyMap<string, string>) =>
  files.get('m.py')?.includes(text) ? null : `no ${text}`;

export const crashLab = (over: Pick<FakeLabOptions, 'before'>) =>
  fakeLab({
    files: { 'm.py': source, 'tests/t.py': '', 'tests/held_out/h.py': '' },
    tests: {
      'tests/t.py::a': wants('a = 10'),
      'tests/t.py::b': wants('b = 20'),
      'tests/t.py::c': wants('c = 30'),
      'tests/held_out/h.py::all': wants('b = 20'),
    },
    ...over,
  });

/** Each makes one test pass; the second asks for candidates first, so that a batch is journaled. */
export const crashReplies: ScriptedReply[] = [
  reply('a = 1', 'a = 10'),
  async (_, tools) => {
    const text = tools.read('m.py') ?? '';
    const content = text.replace('b = 2', 'b = 20');
    await tools.evaluate([{ id: 'x', files: [{ path: 'm.py', content }] }], { signal: tools.signal });
    return reply('b = 2', 'b = 20', 1);
  },
  reply('c = 3', 'c = 30'),
];

function reply(search: string, replace: string, candidates = 0): Proposed {
  return {
    kind: 'proposal',
    motivation: replace,
    edits: [{ op: 'replace', path: 'm.py', search: `${search}\n`, replace: `${replace}\n` }],
    alternatives: [],
    usage: { ...noUsage, tokens: 10, candidates },
  };
}
