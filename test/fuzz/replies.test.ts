import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { afterAll, expect, it } from 'vitest';
import type { Edit } from '../../src/core/index.ts';
import { type Ground, layEdits } from '../../src/loop/index.ts';
import { treeReader } from '../../src/patch/index.ts';
import { modelProposer, scriptedModel } from '../../src/propose/index.ts';
import { replyArb } from '../../src/propose/model/fuzzed-replies.fixture.ts';
import {
  madeFeedback,
  madeSettings,
  madeTools,
  smallProject,
} from '../../src/propose/model/proposer.fixture.ts';

const dir = mkdtempSync(path.join(os.tmpdir(), 'assay-fuzz-'));
afterAll(() => rmSync(dir, { recursive: true, force: true }));
const files = Object.keys(smallProject);
for (const [file, text] of Object.entries(smallProject)) {
  mkdirSync(path.dirname(path.join(dir, file)), { recursive: true });
  writeFileSync(path.join(dir, file), text);
}
const protectedBecause = (file: string) => (file.startsWith('tests/') ? 'a test' : null);
const ground: Ground = {
  files,
  read: treeReader(dir),
  policy: { protectedBecause, autoLoaded: () => false },
};

const onDisk = () =>
  Object.fromEntries(
    files.map((file) => {
      const found = ground.read(file);
      return [file, found !== null && 'bytes' in found ? Buffer.from(found.bytes).toString() : null];
    }),
  );

const named = (edits: readonly Edit[]) =>
  new Set(edits.flatMap((edit) => (edit.op === 'rename' ? [edit.path, edit.to] : [edit.path])));

/** Patches of every kind besides those that a model's reply holds: paths outside, tests, several files at once. */
const editArb: fc.Arbitrary<Edit> = fc
  .tuple(
    fc.constantFrom(
      'src/total.py',
      'src/new.py',
      'tests/test_total.py',
      '../outside.py',
      '/etc/x',
      'src',
      '',
    ),
    fc.constantFrom('    result = 0\n', '    return result\n', 'not there\n', ''),
    fc.constantFrom('replace', 'create', 'delete', 'rename'),
  )
  .map(([file, text, op]): Edit => {
    if (op === 'replace') return { op, path: file, search: text, replace: 'pass\n' };
    if (op === 'create') return { op, path: file, content: text };
    return op === 'rename' ? { op, path: file, to: 'tests/test_moved.py' } : { op: 'delete', path: file };
  });
const manyEdits = fc.array(editArb, { minLength: 1, maxLength: 4 }).map((edits) => ({
  toolCalls: [{ id: 'c', name: 'propose_patch', input: JSON.stringify({ motivation: 'why', edits }) }],
}));

it.each(['tool', 'text'] as const)('fuzzed replies by %s are laid whole or not at all', async (transport) => {
  const before = onDisk();
  const seen = { laid: 0, refused: 0, malformed: 0 };
  const arb = transport === 'tool' ? fc.oneof(replyArb, manyEdits) : replyArb;
  await fc.assert(
    fc.asyncProperty(arb, async (reply) => {
      const model = scriptedModel({ replies: [reply], repeatLast: true });
      const proposer = modelProposer({ model, settings: madeSettings({ transport }), env: {} });
      const proposed = await proposer.propose(madeFeedback(), madeTools());
      if (proposed.kind !== 'proposal') {
        seen.malformed += 1;
        return;
      }
      const laid = layEdits(ground, [proposed.edits]);
      expect(onDisk()).toEqual(before);
      if (!laid.ok) {
        seen.refused += 1;
        expect(laid.refusals.length).toBeGreaterThan(0);
        expect(laid).not.toHaveProperty('changes');
        return;
      }
      seen.laid += 1;
      const names = named(proposed.edits);
      for (const { path: file } of laid.changes) {
        expect(names.has(file), file).toBe(true);
        expect(protectedBecause(file)).toBe(null);
        expect(path.relative(dir, path.resolve(dir, file)).startsWith('..')).toBe(false);
      }
    }),
    { numRuns: 500 },
  );
  // The fuzz came to every kind of end.
  expect(seen.malformed).toBeGreaterThan(0);
  expect(seen.refused).toBeGreaterThan(0);
  if (transport === 'tool') expect(seen.laid).toBeGreaterThan(0);
});
