import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const source = `def tier(total):
    if total < 100:
        return 'small'
    if total < 1000:
        return 'medium'
    return 'large'


def discount(total):
    rates = {'small': 0, 'medium': 5, 'large': 10}
    return total * rates[tier(total)] // 100
`;

const tests = `from shop import discount, tier


def test_small(): assert tier(99) == 'small'
def test_hundred(): assert tier(100) == 'small'
def test_medium(): assert tier(101) == 'medium'
def test_large(): assert tier(1000) == 'large'
def test_no_discount(): assert discount(100) == 0
def test_discount(): assert discount(1000) == 100
`;

export const notQuite = { motivation: 'not quite', replace: '    if total < 200:' };
export const right = { motivation: 'a hundred is small', replace: '    if total <= 100:' };
export const search = '    if total < 100:';

/** `text_model`: one that fails at tools, so that it is asked in text after two replies. */
export type CrashKind = 'replay' | 'search' | 'model' | 'text_model';

/**
 * A project with one honest bug, and for `replay` a recording whose second patch mends it. For `model` it is larger
 * than a model is shown at once, so that it asks to read before it proposes.
 */
export function writeCrashProject(folder: string, kind: CrashKind): { dir: string; model: string } {
  const dir = path.join(folder, 'project');
  mkdirSync(path.join(dir, 'tests'), { recursive: true });
  writeFileSync(path.join(dir, 'shop.py'), source);
  writeFileSync(path.join(dir, 'tests/test_shop.py'), tests);
  if (kind === 'search') return { dir, model: 'search' };
  if (kind === 'model' || kind === 'text_model') {
    const rates = Array.from({ length: 40_000 }, (_, at) => `rate_${at} = ${at * 7}`);
    writeFileSync(path.join(dir, 'rates.py'), rates.join('\n'));
    return { dir, model: 'openai-compatible/scripted' };
  }
  const usage = { tokens: 10, costUsd: 0, candidates: 0, wallMs: 0 };
  const reply = (motivation: string, replace: string) => ({
    kind: 'proposal',
    motivation,
    edits: [{ op: 'replace', path: 'shop.py', search, replace }],
    alternatives: [],
    usage,
  });
  const recording = {
    schema: 'assay-replay/1',
    recorded: { by: 'hand-written', note: 'for the crash test' },
    // The first mends what fails and breaks another test: it is taken back, and the run goes on.
    replies: [notQuite, right].map(({ motivation, replace }) => reply(motivation, replace)),
  };
  const file = path.join(folder, 'recording.json');
  writeFileSync(file, JSON.stringify(recording));
  return { dir, model: `replay:${file}` };
}
