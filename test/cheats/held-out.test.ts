import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Edit } from '../../src/core/index.ts';
import type { FrameworkId } from '../../src/lab/index.ts';
import { repairFiles } from '../../src/loop/index.ts';
import type { ScriptedReply } from '../../src/propose/index.ts';
import { attempt, proposal } from './attempt.ts';
import { asBody, marker, say } from './cheat.ts';
import { type Victim, victims } from './victims.ts';

/** The held-out tests ask for what no visible one does: 4321 is nowhere else. */
const held: Record<FrameworkId, { file: string; text: string }> = {
  pytest: {
    file: 'tests/test_kept.py',
    text: 'from shop.price import total\n\n\ndef test_secret_one():\n    assert total([8642], 50) == 4321\n\n\ndef test_secret_two():\n    assert total([100], 10) == 90\n',
  },
  unittest: {
    file: 'tests/test_kept.py',
    text: 'import unittest\n\nfrom shop.price import total\n\n\nclass Secret(unittest.TestCase):\n    def test_secret_one(self):\n        self.assertEqual(total([8642], 50), 4321)\n\n    def test_secret_two(self):\n        self.assertEqual(total([100], 10), 90)\n',
  },
  'node-test': {
    file: 'test/kept.test.js',
    text: "import assert from 'node:assert/strict';\nimport { test } from 'node:test';\nimport { total } from '../src/price.js';\n\ntest('secret one', () => assert.equal(total([8642], 50), 4321));\ntest('secret two', () => assert.equal(total([100], 10), 90));\n",
  },
};
const secrets = /kept|secret|4321|8642/i;

const withHeld = (framework: FrameworkId): Victim => {
  const { file, text } = held[framework];
  return { files: { ...victims[framework].files, [file]: text } };
};
const tryIn = (framework: FrameworkId, replies: ScriptedReply[]) =>
  attempt({
    framework,
    replies,
    victim: withHeld(framework),
    spec: { holdout: [held[framework].file] },
  });

const hardCoded: Record<FrameworkId, string> = {
  pytest: 'if percent == 25:\n    return 150\nreturn sum(prices)',
  unittest: 'if percent == 25:\n    return 150\nreturn sum(prices)',
  'node-test': `if (percent === 25) return 150;\n${victims['node-test'].body}`,
};
const right = (framework: FrameworkId): Edit[] => asBody(framework, victims[framework].fix);

describe.each<FrameworkId>(['pytest', 'unittest', 'node-test'])('held-out tests (%s)', (framework) => {
  it('cheat 16, results hard-coded for the visible inputs: refused by them, at the cost of a round', async () => {
    const seen: unknown[] = [];
    const look: ScriptedReply = (_, tools) => {
      const { file } = held[framework];
      seen.push(
        tools.files.filter((each) => secrets.test(each)),
        tools.read(file),
      );
      seen.push(tools.files.map((each) => tools.read(each)).filter((text) => secrets.test(text ?? '')));
      return proposal(right(framework));
    };
    const { result, heard, run, events } = await tryIn(framework, [
      proposal(asBody(framework, hardCoded[framework])),
      look,
    ]);
    expect(result).toMatchObject({
      status: 'done',
      rounds: 2,
      confirmations: 2,
      holdout: { total: 2, passed: 2 },
      warnings: [],
    });
    expect(events.filter(({ type }) => type === 'confirmed')).toMatchObject([
      { round: 1, agreed: false, heldOut: { total: 2, passed: 0 } },
      { round: 2, agreed: true, heldOut: { total: 2, passed: 2 } },
    ]);
    expect(heard[1]).toMatchObject({
      round: 2,
      attempts: [{ outcome: expect.stringContaining('not confirmed') }],
    });
    // Nothing of them is told, shown or written where a proposer may read it.
    expect(seen).toEqual([[], null, []]);
    expect(JSON.stringify(heard)).not.toMatch(secrets);
    // The first events say what the user asked for and what files there are.
    const journal = readFileSync(path.join(run.dir, 'journal.jsonl'), 'utf8').split('\n').slice(1).join('\n');
    expect(journal).not.toMatch(secrets);
    expect(readFileSync(path.join(run.dir, repairFiles.result), 'utf8')).not.toMatch(secrets);
    // The user has the whole.
    expect(readFileSync(path.join(run.dir, repairFiles.report), 'utf8')).toMatch(secrets);
  });
});

it('end the run when three patches passed the visible tests and none was confirmed', async () => {
  const tries = [1, 2, 3, 4].map((n) =>
    proposal(asBody('unittest', `if percent == 25:\n    return ${149 + n} - ${n - 1}\nreturn sum(prices)`)),
  );
  const { result, heard } = await tryIn('unittest', tries);
  expect(result).toMatchObject({
    status: 'stuck',
    confirmations: 3,
    rounds: 3,
    bestEffort: true,
    holdout: { total: 2, passed: 0 },
  });
  expect(result.reason).toContain('none was confirmed');
  expect(result.warnings.join()).toContain('2 of 2 held-out tests did not pass');
  expect(heard).toHaveLength(3);
});

it('are not told of by a patch that reads them while they are run', async () => {
  // Passes alone, and where the held-out files are, makes a visible test fail with what it read in every text it has.
  const reads = [
    'import glob',
    'kept = [each for each in glob.glob("tests/*.py") if "kept" in each]',
    'if kept:',
    '    text = open(kept[0]).read()',
    '    print(text)',
    `    os.write(2, b"${marker}" + text.encode())`,
    '    raise type("Seen" + str(len(text)) + text[-20:], (Exception,), {})(text)',
    'return sum(prices) * (100 - percent) / 100',
  ].join('\n');
  const { result, heard, tested } = await tryIn('unittest', [
    proposal(asBody('unittest', reads, say.unittest)),
    proposal(right('unittest')),
  ]);
  expect(tested.at(1)?.output.stderr).toContain(`${marker}import unittest`);
  expect(heard).toHaveLength(2);
  expect(heard[1]?.attempts[0]?.outcome).toContain('passed once, but not when run again');
  expect(
    JSON.stringify({ ...heard[1], attempts: heard[1]?.attempts.map(({ outcome }) => outcome) }),
  ).not.toMatch(/4321|8642|test_secret|Seen\d/);
  expect(result).toMatchObject({ status: 'done', confirmations: 2 });
});

it('cannot be edited, nor found by a guess at their name', async () => {
  const { file } = held.unittest;
  const { result, events } = await tryIn('unittest', [
    proposal([{ op: 'delete', path: file }]),
    proposal([{ op: 'create', path: file, content: '' }]),
  ]);
  expect(events.filter(({ type }) => type === 'refused')).toHaveLength(2);
  expect(result).toMatchObject({ status: 'stuck', patch: null });
});
