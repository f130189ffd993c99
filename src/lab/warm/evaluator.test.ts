import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import type { CandidateResult } from '../../core/index.ts';
import { collect, type Evaluator, type FrameworkId, openEvaluator, openProject, runLab } from '../index.ts';
import { labFixture } from '../lab.fixture.ts';

const source = `import os, subprocess, sys

def clamp(value, low, high):
    if value < low:
        return low
    if value >= high:
        return high - 1
    return value


def countdown(n):
    while n > 0:
        n -= 1
    return n


def endless(n):
    return endless(n + 1)
`;

// The test that fills the stack comes first: Python then forgets who traces.
const pytestTests = `from shop.limits import clamp, countdown, endless

def test_endless():
    try: endless(0)
    except RecursionError: pass
def test_low(): assert clamp(-1, 0, 10) == 0
def test_high(): assert clamp(11, 0, 10) == 10
def test_mid(): assert clamp(5, 0, 10) == 5
def test_countdown(): assert countdown(3) == 0
`;

const unittestTests = `import unittest
from shop.limits import clamp, countdown, endless

class Limits(unittest.TestCase):
    def test_endless(self):
        with self.assertRaises(RecursionError): endless(0)
    def test_low(self): self.assertEqual(clamp(-1, 0, 10), 0)
    def test_high(self): self.assertEqual(clamp(11, 0, 10), 10)
    def test_mid(self): self.assertEqual(clamp(5, 0, 10), 5)
    def test_countdown(self): self.assertEqual(countdown(3), 0)
`;

const fixed = source.replace('high - 1', 'high');
const file = 'shop/limits.py';

describe.each<{ framework: FrameworkId; tests: string }>([
  { framework: 'pytest', tests: pytestTests },
  { framework: 'unittest', tests: unittestTests },
])('the warm evaluator on $framework', ({ framework, tests }) => {
  let folder: string;
  let evaluator: Evaluator;

  beforeAll(async () => {
    folder = mkdtempSync(path.join(os.tmpdir(), 'assay-warm-'));
    const dir = path.join(folder, 'project');
    for (const sub of ['project/shop', 'project/tests', 'scratch'])
      mkdirSync(path.join(folder, sub), { recursive: true });
    for (const init of ['shop/__init__.py', 'tests/__init__.py']) writeFileSync(path.join(dir, init), '');
    writeFileSync(path.join(dir, file), source);
    // Links to folders are nothing to read.
    symlinkSync('shop', path.join(dir, 'store'));
    // A file that its owner only reads is edited like any other.
    if (framework === 'unittest') chmodSync(path.join(dir, file), 0o444);
    writeFileSync(path.join(dir, 'tests/test_limits.py'), tests);
    const strict = inject('holdsEveryLimit');
    const project = await openProject({ dir, scratch: path.join(folder, 'scratch'), framework, strict });
    const baseline = await runLab({ project, changes: [], expected: await collect({ project }) });
    expect(baseline.summary).toMatchObject({ total: 5, failed: 1 });
    evaluator = await openEvaluator({ project, baseline });
  });

  afterAll(async () => {
    await evaluator.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const judge = async (...contents: string[]): Promise<CandidateResult[]> =>
    evaluator.evaluate(
      contents.map((content, index) => ({ id: `c${index}`, files: [{ path: file, content }] })),
      { signal: new AbortController().signal },
    );

  it('tells passing, failing, hanging, dying and unreadable candidates apart, each on its own', async () => {
    const results = await judge(
      source,
      fixed,
      fixed.replace('n -= 1', 'n += 1'),
      'def (',
      fixed.replace('return value', 'os._exit(0)'),
      fixed,
    );
    expect(results.map((each) => each.status)).toEqual([
      'failed',
      'passed',
      'hung',
      'invalid',
      'crashed',
      'passed',
    ]);
    expect(results[0]?.failedTest).toMatch(/test_high$/);
    expect(results[1]?.testsPassed).toBe(5);
  });

  it('says which lines each test runs', async () => {
    const { tests: traced } = await evaluator.coverage();
    const lines = Object.fromEntries(traced.map((test) => [test.id.replace(/.*[.:]/, ''), test]));
    expect(lines.test_high).toMatchObject({ passed: false, lines: { [file]: [4, 6, 7] } });
    expect(lines.test_low).toMatchObject({ passed: true, lines: { [file]: [4, 5] } });
    expect(lines.test_countdown).toMatchObject({ passed: true, lines: { [file]: [12, 13, 14] } });
  });

  it('undoes what a candidate leaves behind: files, background processes, edits of other files', async () => {
    const messy = `${fixed}
open('left-over.txt', 'w').write('x')
open('/tmp/left-over.txt', 'w').write('x')
open('shop/__init__.py', 'w').write('raise SystemError("poisoned")')
sleeper = [sys.executable, '-c', 'import time; print("up", flush=True); time.sleep(600)']
assert subprocess.Popen(sleeper, stdout=subprocess.PIPE, start_new_session=True).stdout.readline() == b'up\\n'
`;
    // Proves in the next candidate's own words that nothing is left, and in this one's that it was there.
    const traces = `left = [os.path.exists('left-over.txt'), os.path.exists('/tmp/left-over.txt'), os.path.getsize('shop/__init__.py') > 0,
    any('time.sleep(600)' in open(f'/proc/{pid}/cmdline').read() for pid in os.listdir('/proc') if pid.isdigit())]`;
    const [dirty] = await judge(`${messy}\n${traces}\nassert all(left), left\n`);
    expect(dirty?.status).toBe('passed');
    const clean = await judge(...new Array(4).fill(`${fixed}\n${traces}\nassert not any(left), left\n`));
    expect(clean.map((each) => each.status)).toEqual(['passed', 'passed', 'passed', 'passed']);
  });

  it('keeps its memory closed to candidates', async () => {
    const attack = `${fixed}
try:
    open(f'/proc/{os.getppid()}/mem', 'r+b')
    opened = True
except PermissionError:
    opened = False
`;
    const [refused, sanity] = await judge(`${attack}\nassert not opened\n`, `${attack}\nassert opened\n`);
    expect(refused?.status).toBe('passed');
    expect(sanity?.status).toBe('invalid');
  });
});

describe('the warm evaluator on tests that cannot be loaded', () => {
  const { lab } = labFixture();

  // Under unittest such a file is a test of another name than any of those asked for.
  it('looks once and says what it saw', async () => {
    const test =
      'import unittest\nimport nowhere\n\nclass A(unittest.TestCase):\n    def test_a(self): pass\n';
    const { project, run } = await lab('unittest', { 'test_a.py': test, 'code.py': 'x = 1\n' });
    const evaluator = await openEvaluator({ project, baseline: await run() });
    const beganMs = performance.now();
    const { tests } = await evaluator.coverage();
    await evaluator.close();
    expect(tests.filter(({ passed }) => passed)).toEqual([]);
    // It would go on for its limit of a minute.
    expect(performance.now() - beganMs).toBeLessThan(45_000);
  });
});

describe('the warm evaluator on tests that share state', () => {
  const { lab } = labFixture();

  it('runs them in their own order, whatever is quicker or failed before', async () => {
    const files = {
      'limits.py': source,
      'test_limits.py': `from limits import clamp

seen = []

def test_slow_before_all():
    assert seen == [] and sum(range(300_000)) > 0

def test_quick(): seen.append('quick')
def test_broken(): assert clamp(11, 0, 10) == 10
`,
    };
    const { project, run } = await lab('pytest', files);
    const evaluator = await openEvaluator({ project, baseline: await run() });
    const [result] = await evaluator.evaluate(
      [{ id: 'fix', files: [{ path: 'limits.py', content: fixed }] }],
      {
        signal: new AbortController().signal,
      },
    );
    await evaluator.close();
    expect(result).toMatchObject({ status: 'passed', testsPassed: 3 });
  });
});
