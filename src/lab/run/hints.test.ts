import { describe, expect, it } from 'vitest';
import type { Project } from '../types.ts';
import { copiedLiterals } from './literals.ts';
import { networkHint } from './network-hint.ts';
import { suspicions } from './suspicion.ts';

const failure = (message: string, trace = '') => ({ type: 'E', message, trace, frames: [] });

describe('a missing network', () => {
  it.each([
    '[Errno -3] Temporary failure in name resolution',
    '[Errno 101] Network is unreachable',
    'getaddrinfo EAI_AGAIN example.org',
    "HTTPSConnectionPool(host='x', port=443): Failed to resolve 'x'",
    'curl: (6) Could not resolve host: x',
    'dial tcp: lookup x: no such host',
  ])('is recognised: %s', (message) => {
    expect(networkHint([{ name: 't', failure: failure(message) }])).toContain(
      'the sandbox has no network: t failed',
    );
    expect(networkHint([{ name: 't', failure: failure('', message) }])).not.toBeNull();
  });

  it('is no explanation for other failures', () => {
    expect(networkHint([{ name: 't', failure: failure('assert 1 == 2') }])).toBeNull();
    expect(networkHint([])).toBeNull();
  });
});

describe('literals of the tests in a patch', () => {
  const test = 'def test_a():\n    assert area(12, 37) == 444 and name() == "Ada Lovelace" and f() == 2.75\n';
  const project = { files: ['test_a.py', 'a.py'], read: () => Buffer.from(test) } as unknown as Project;
  const copied = (after: string, before = '') =>
    copiedLiterals(
      project,
      [{ path: 'a.py', before: Buffer.from(before), after: Buffer.from(after), mode: 0o644 }],
      ['test_a.py', 'tests/hidden.py'],
    );

  it('are named', () => {
    expect(copied('return 444')).toEqual([
      'the patch brings "444" into a.py, as the tests have it: copied from them?',
    ]);
    expect(copied("return 'Ada Lovelace' if x else 2.75")[0]).toContain('"Ada Lovelace", "2.75"');
  });

  it('are no news where they were before, are short, or are not in a test', () => {
    expect(copied('return 444', 'limit = 444')).toEqual([]);
    expect(copied('return a * 12 + 37 + 445')).toEqual([]);
    expect(copiedLiterals(project, [], ['test_a.py'])).toEqual([]);
  });
});

describe('what a patch brings in', () => {
  const warned = (after: string, before: string | null = null) =>
    suspicions([
      {
        path: 'a.py',
        before: before === null ? null : Buffer.from(before),
        after: Buffer.from(after),
        mode: 0o644,
      },
    ]);

  it.each([
    'class A:\n    def __eq__(self, other):\n        return True\n',
    'import sys\nx = sys._getframe(1)',
    'if "PYTEST_CURRENT_TEST" in os.environ: pass',
    'fast = process.env.CI === "true"',
    'import unittest',
    "import assert from 'node:assert/strict'",
    'os._exit(0)',
    'process.exit(0)',
    'time.time = lambda: 0',
    'text = open("tests/test_a.py").read()',
  ])('is warned of: %s', (code) => {
    expect(warned(code)).toHaveLength(1);
    expect(warned(code)[0]).toMatch(/^the patch brings .* into a\.py$/);
    // What was there before is the project's own.
    expect(warned(code, code)).toEqual([]);
  });

  it('is quiet for plain code', () => {
    expect(warned('def __eq__(self, other):\n    return self.x == other.x\n\nt0 = time.time()\n')).toEqual(
      [],
    );
    expect(
      suspicions([{ path: 'a.py', before: Buffer.from('os._exit(0)'), after: null, mode: 0o644 }]),
    ).toEqual([]);
  });
});
