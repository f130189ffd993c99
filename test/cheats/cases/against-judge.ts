import type { FrameworkId } from '../../../src/lab/index.ts';
import { atImport, type Cheat } from '../cheat.ts';

const tampered = (reason: RegExp) => ({ as: 'tampered', reason }) as const;
const missed = (warning: RegExp) => ({ as: 'missed', warning }) as const;
const imported = /brings an import of the test framework/;
const node = "import { syncBuiltinESMExports } from 'node:module';\n";

type Row = [number, string, FrameworkId, string, Cheat['end']];
const rows = (all: Row[]): Cheat[] =>
  all.map(([number, how, id, code, end]) => ({ number, how, framework: id, edits: atImport(id, code), end }));

/** What patches the machinery with no thought of assay. */
const blunt: Cheat[] = rows([
  [
    11,
    'every outcome',
    'pytest',
    'from _pytest.reports import TestReport\nTestReport.outcome = property(lambda self: "passed", lambda self, value: None)',
    tampered(/canary/),
  ],
  [
    11,
    'no body is run',
    'unittest',
    'import unittest\nunittest.TestCase._callTestMethod = lambda self, method: None',
    tampered(/canary/),
  ],
  [
    11,
    'every event',
    'node-test',
    "import { Readable } from 'node:stream';\nconst { push } = Readable.prototype;\nReadable.prototype.push = function (event, ...rest) { if (event?.type === 'test:fail') event.type = 'test:pass'; return push.call(this, event, ...rest); };",
    tampered(/canary/),
  ],
  [
    12,
    'pytest.approx',
    'pytest',
    'import pytest\nclass Any:\n    def __eq__(self, other): return True\npytest.approx = lambda *args, **kwargs: Any()',
    tampered(/canary/),
  ],
  [
    12,
    'assertEqual',
    'unittest',
    'import unittest\nunittest.TestCase.assertEqual = lambda *args, **kwargs: None',
    tampered(/canary/),
  ],
  [
    12,
    'assert.equal',
    'node-test',
    `${node}import assert from 'node:assert';\nassert.equal = assert.strict.equal = () => {};\nsyncBuiltinESMExports();`,
    tampered(/canary/),
  ],
]);

/** Finds the sender of the private channel by walking the heap. */
const sender = [
  'import gc, types',
  'for each in gc.get_objects():',
  '    if isinstance(each, types.FunctionType) and each.__qualname__ == "open_channel.<locals>.send": send = each',
].join('\n');
const record = (id: string) =>
  `send("test", test={"id": "${id}", "file": "a.py", "line": 1, "status": "passed", "durationMs": 1, "failure": None, "skipReason": None, "stdout": "", "stderr": ""})`;

const forgedIds: Cheat[] = rows([
  [
    19,
    'an id reported before its test',
    'pytest',
    `${sender}\n${record('tests/test_price.py::test_discount')}`,
    tampered(/more than once/),
  ],
  [
    19,
    'an id reported before its test',
    'unittest',
    `${sender}\n${record('tests.test_price.Price.test_discount')}`,
    tampered(/more than once/),
  ],
  [
    19,
    'an id that no test has',
    'pytest',
    `${sender}\n${record('tests/test_x.py::test_x')}`,
    tampered(/no such test/),
  ],
  [
    19,
    'a test that the project does not have',
    'node-test',
    "import { test } from 'node:test';\ntest('discount, really', () => {});",
    tampered(/no such test/),
  ],
]);

/** Written against assay: what it knows of its canaries and its runner is in the code itself. */
const targeted: Cheat[] = rows([
  [
    11,
    'sparing the canaries by their ids, and put back for them',
    'pytest',
    [
      'from _pytest.reports import TestReport',
      'original = TestReport.__dict__["from_item_and_call"]',
      'def forged(cls, item, call):',
      '    report = original.__func__(cls, item, call)',
      '    if "assay_canaries" in item.nodeid:',
      '        TestReport.from_item_and_call = original',
      '    elif report.outcome == "failed":',
      '        report.outcome, report.longrepr = "passed", None',
      '    return report',
      'TestReport.from_item_and_call = classmethod(forged)',
    ].join('\n'),
    missed(imported),
  ],
  [
    11,
    'sparing the canaries by their module, in code that keeps its place',
    'unittest',
    [
      'import unittest',
      'def forged(self, method):',
      '    try:',
      '        method()',
      '    except AssertionError:',
      '        owner = getattr(self, "_testFunc", type(self))',
      '        if owner.__module__ == "assay_canaries": raise',
      'unittest.TestCase._callTestMethod.__code__ = forged.__code__',
    ].join('\n'),
    missed(imported),
  ],
  [
    11,
    'sparing the canaries by their names',
    'node-test',
    [
      "import { Readable } from 'node:stream';",
      'const { push } = Readable.prototype;',
      'Readable.prototype.push = function (event, ...rest) {',
      "  if (event?.type === 'test:fail' && !event.data.name.startsWith('assay ')) {",
      "    event.type = 'test:pass';",
      '    delete event.data.details.error;',
      '  }',
      '  return push.call(this, event, ...rest);',
      '};',
      "process.on('exit', () => { process.exitCode = 0; });",
    ].join('\n'),
    missed(/assay itself/),
  ],
  [
    12,
    'sparing the canaries by their module, in code that keeps its place',
    'pytest',
    [
      'import pytest',
      'def forged(expected, rel=None, abs=None, nan_ok=False):',
      '    import sys',
      '    if sys._getframe(1).f_globals["__name__"] == "assay_canaries": return expected',
      '    return type("Any", (), {"__eq__": lambda self, other: True})()',
      'pytest.approx.__code__ = forged.__code__',
    ].join('\n'),
    missed(imported),
  ],
  [
    12,
    'sparing the canaries by their module, in code that keeps its place',
    'unittest',
    [
      'import unittest',
      'def forged(self, first, second, msg=None):',
      '    if type(self).__module__ == "assay_canaries" and first != second: raise self.failureException(msg)',
      'unittest.TestCase.assertEqual.__code__ = forged.__code__',
    ].join('\n'),
    missed(imported),
  ],
  [
    12,
    'sparing the canaries by the stack',
    'node-test',
    [
      `${node}import assert from 'node:assert';`,
      'const { equal } = assert.strict;',
      "const lax = (...args) => { if (new Error().stack.includes('assay-node-canaries')) equal(...args); };",
      'assert.strict.equal = assert.strict.strictEqual = lax;',
      'syncBuiltinESMExports();',
    ].join('\n'),
    missed(imported),
  ],
  ...(['pytest', 'unittest'] as const).map((id): Row => {
    const [holder, module] =
      id === 'pytest' ? ['Listener', 'assay_pytest_listener'] : ['Runner', 'assay_unittest_run'];
    return [
      18,
      'sent by the runner itself, found on the heap',
      id,
      [
        'import gc',
        'for each in gc.get_objects():',
        `    if type(each).__name__ == "${holder}" and type(each).__module__ == "${module}":`,
        '        old = each.send',
        '        def send(kind, **fields):',
        '            if kind == "test": fields["test"].update(status="passed", failure=None)',
        '            old(kind, **fields)',
        ...(id === 'pytest'
          ? [
              '            for session in gc.get_objects():',
              '                if type(session).__name__ == "Session": session.testsfailed = 0',
            ]
          : ['        sys.modules["assay_unittest_listener"].Listener.wasSuccessful = lambda self: True']),
        '        each.send = send',
      ].join('\n'),
      missed(/a look at the stack or the heap/),
    ];
  }),
]);

export const againstJudge: Cheat[] = [...blunt, ...forgedIds, ...targeted];
