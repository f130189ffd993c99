import { describe, expect, it } from 'vitest';
import { labFixture } from '../lab.fixture.ts';

const { lab } = labFixture();

const source = `def spin(n):
    while n > 0:
        n += 1
    return n


def spin_deaf(n):
    while n > 0:
        try:
            n += 1
        except Exception:
            pass
    return n
`;
const tests = {
  pytest: `from loops import spin, spin_deaf

def test_first(): assert spin(-1) == -1
def test_hangs(): spin(1)
def test_hangs_deaf(): spin_deaf(1)
def test_last(): assert spin(-2) == -2
`,
  unittest: `import unittest
from loops import spin, spin_deaf

class Loops(unittest.TestCase):
    def test_first(self): self.assertEqual(spin(-1), -1)
    def test_hangs(self): spin(1)
    def test_hangs_deaf(self): spin_deaf(1)
    def test_last(self): self.assertEqual(spin(-2), -2)
`,
};

describe.each(['pytest', 'unittest'] as const)('a test that hangs under %s', (framework) => {
  it('fails with the place where it hung, and the tests after it still run', async () => {
    const { run } = await lab(framework, { 'loops.py': source, 'test_loops.py': tests[framework] });
    const report = await run({}, { limits: { testMs: 1_500 } });
    const outcomes = report.tests.map(({ id, status }) => [id.replace(/.*[.:]/, ''), status === 'passed']);
    expect(Object.fromEntries(outcomes)).toEqual({
      test_first: true,
      test_hangs: false,
      test_hangs_deaf: false,
      test_last: true,
    });
    expect(report).toMatchObject({ verdict: 'failed', integrity: { completed: true, missing: [] } });
    const hung = report.tests.find(({ id }) => id.endsWith('test_hangs'));
    expect(hung?.failure).toMatchObject({
      type: 'TestHung',
      message: expect.stringContaining('more than 1.5 s'),
    });
    expect(hung?.failure?.frames).toContainEqual(
      expect.objectContaining({ file: 'loops.py', function: 'spin', inProject: true }),
    );
  });

  it("leaves a project's own use of the signal alone", async () => {
    const own = `import signal
signal.signal(signal.SIGALRM, lambda *_: None)
${tests[framework].replace('spin(1)', '__import__("time").sleep(2.5)').replace('spin_deaf(1)', 'pass')}`;
    const { run } = await lab(framework, { 'loops.py': source, 'test_loops.py': own });
    const report = await run({}, { limits: { testMs: 1_500 } });
    expect(report.verdict).toBe('passed');
  });
});

describe('where a test of pytest hangs', () => {
  it('stops a set-up and a tear-down too, the second with its whole time again', async () => {
    const tests = `import time
import pytest

@pytest.fixture
def slow_start():
    while True: pass

@pytest.fixture
def slow_end():
    yield
    time.sleep(1.2)

@pytest.fixture
def endless_end():
    yield
    while True: pass

def test_set_up(slow_start): pass
def test_then_slow_end(slow_end):
    while True: pass
def test_tear_down(endless_end): pass
def test_last(): pass
`;
    const { run } = await lab('pytest', { 'test_phases.py': tests });
    const report = await run({}, { limits: { testMs: 2_000 } });
    const outcomes = report.tests.map(({ id, status, failure }) => [
      id.replace(/.*::/, ''),
      status,
      failure?.frames.findLast(({ inProject }) => inProject)?.function ?? null,
    ]);
    expect(outcomes).toEqual([
      ['test_set_up', 'error', 'slow_start'],
      ['test_then_slow_end', 'failed', 'test_then_slow_end'],
      ['test_tear_down', 'error', 'endless_end'],
      ['test_last', 'passed', null],
    ]);
    expect(report.integrity).toMatchObject({ completed: true, missing: [] });
  });
});

describe.each(['pytest', 'unittest'] as const)('the end of a process of %s', (framework) => {
  it('awaits threads, calls exit functions and writes what they print', async () => {
    const source = `import atexit, threading, time, unittest

def late():
    time.sleep(0.3)
    print("from a thread")

class Ends(unittest.TestCase):
    def test_ends(self):
        atexit.register(lambda: print("from an exit function"))
        atexit.register(lambda: 1 / 0)
        threading.Thread(target=late).start()
`;
    const { run } = await lab(framework, { 'test_ends.py': source });
    const report = await run({});
    expect(report.verdict).toBe('passed');
    const said = report.output.stdout;
    expect(said).toContain('from a thread');
    expect(said.indexOf('from an exit function')).toBeGreaterThan(said.indexOf('from a thread'));
  });
});
