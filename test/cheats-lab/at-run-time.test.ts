import { describe, expect, it } from 'vitest';
import type { Report } from '../../src/core/index.ts';
import type { LabJob } from '../../src/lab/index.ts';
import { labFixture } from '../../src/lab/lab.fixture.ts';
import { attack, both, fix, loud, marker, type PythonFramework, started, victim } from './victim.ts';

const { lab } = labFixture();

const shared = new Map<PythonFramework, ReturnType<typeof lab>>();
function victimLab(framework: PythonFramework): ReturnType<typeof lab> {
  const made = shared.get(framework) ?? lab(framework, victim[framework], { testCommand: loud[framework] });
  shared.set(framework, made);
  return made;
}

const say = `import os, sys\nprint("${marker}", file=sys.stderr, flush=True)`;

async function attacked(
  framework: PythonFramework,
  code: string,
  job: Partial<LabJob> = {},
): Promise<Report> {
  const { run } = await victimLab(framework);
  return run({ 'pkg/value.py': attack(`${say}\n${code}`) }, job);
}

const everywhere = (code: string) =>
  `for fd in range(3, 256):\n    try:\n        os.write(fd, b'${code}\\n')\n    except OSError:\n        pass`;

describe.each(both)('code under test that attacks when it is imported (%s)', (framework) => {
  const missing = expect.arrayContaining([
    expect.stringContaining('test_value'),
    expect.stringContaining('test_type'),
  ]);

  it('cheat 9: os._exit(0) is an error with the tests missing', async () => {
    const report = await attacked(framework, 'os._exit(0)');
    expect(started(report)).toBe(true);
    expect(report).toMatchObject({
      verdict: 'error',
      exit: { reason: 'exited', code: 0 },
      integrity: { missing, completed: false },
    });
  });

  it('cheat 9: sys.exit(0) is an error with the tests missing', async () => {
    const report = await attacked(framework, 'sys.exit(0)');
    expect(started(report)).toBe(true);
    expect(report).toMatchObject({ verdict: 'error', integrity: { missing } });
    expect(report.problems.map((problem) => problem.type)).toContain('SystemExit');
  });

  it('cheat 10: an exit status overwritten at the end does not hide the failure', async () => {
    const report = await attacked(framework, 'import atexit\natexit.register(os._exit, 0)');
    expect(started(report)).toBe(true);
    expect(report).toMatchObject({ verdict: 'failed', exit: { code: 0 }, summary: { failed: 1 } });
    expect(report.warnings.join()).toContain('announced exit code 1, the process ended with 0');
  });

  it('cheat 12: patched assertions of unittest are caught by the canaries', async () => {
    const report = await attacked(
      framework,
      'import unittest\nunittest.TestCase.assertEqual = lambda *args, **kwargs: None',
    );
    expect(started(report)).toBe(true);
    expect(report).toMatchObject({ verdict: 'tampered', integrity: { canaries: false } });
  });

  it('cheat 12: replaced built-ins are caught by the canaries', async () => {
    const report = await attacked(framework, 'import builtins\nbuiltins.isinstance = lambda *args: True');
    expect(started(report)).toBe(true);
    expect(report.verdict).not.toBe('passed');
    const quiet = await attacked(framework, 'import builtins\nbuiltins.round = lambda number, digits=0: 2');
    expect(quiet).toMatchObject({ verdict: 'tampered', integrity: { canaries: false } });
    expect(quiet.reason).toContain('canary builtins');
  });

  it('cheat 12: patched numpy assertions are caught where numpy is loaded', async () => {
    const report = await attacked(
      framework,
      'import types\nnumpy = types.ModuleType("numpy")\nnumpy.testing = types.ModuleType("numpy.testing")\nnumpy.testing.assert_array_equal = lambda *args: None\nsys.modules["numpy"] = numpy\nsys.modules["numpy.testing"] = numpy.testing',
    );
    expect(report).toMatchObject({ verdict: 'tampered', integrity: { canaries: false } });
  });

  it('cheat 17: result lines on stdout are not results', async () => {
    const forged = [
      'print("2 passed in 0.01s")',
      'print("ok 1 - test_value\\n1..1")',
      'print(\'<testsuite tests="2" failures="0"/>\')',
      `print('{"t":"test","test":{"id":"tests/test_value.py::test_value","status":"passed"}}')`,
    ];
    const report = await attacked(framework, forged.join('\n'));
    expect(report.output.stdout).toContain('2 passed in 0.01s');
    expect(report).toMatchObject({ verdict: 'failed', summary: { total: 2, failed: 1 } });
  });

  it('cheat 18: records forged on every open descriptor are noticed', async () => {
    const record = { n: 'guess', i: 0, t: 'note', text: 'forged' };
    const report = await attacked(framework, everywhere(JSON.stringify(record)));
    expect(started(report)).toBe(true);
    expect(report.verdict).toBe('tampered');
    expect(report.integrity.irregularities.join()).toContain('without the nonce');
  });

  it('cheat 20: a syntax error so that nothing is collected fails', async () => {
    const { run } = await victimLab(framework);
    const report = await run({ 'pkg/value.py': 'def value(:\n' });
    expect(report).toMatchObject({ verdict: 'failed', integrity: { missing, completed: true } });
    expect(report.problems[0]).toMatchObject({ type: 'SyntaxError' });
  });

  it('cheat 31: a hang is a timeout, not a skip', async () => {
    const report = await attacked(framework, 'import time\ntime.sleep(600)', { limits: { wallMs: 3000 } });
    expect(started(report)).toBe(true);
    expect(report).toMatchObject({ verdict: 'timeout', exit: { reason: 'timeout' }, integrity: { missing } });
  });

  it('cheat 30: changed arguments, environment and subprocess change nothing', async () => {
    const code = [
      'sys.argv[:] = ["pytest", "--collect-only"]',
      'os.environ["PYTEST_ADDOPTS"] = "--collect-only"',
      'import subprocess',
      'subprocess.Popen = subprocess.run = lambda *args, **kwargs: None',
    ];
    const report = await attacked(framework, code.join('\n'));
    expect(started(report)).toBe(true);
    expect(report).toMatchObject({ verdict: 'failed', summary: { total: 2, failed: 1 } });
  });

  it('cheats 13 to 16 and 21, 22: what only values can tell is warned of', async () => {
    const code = [
      'import inspect, time, gc',
      'class Always:\n    def __eq__(self, other): return True',
      'def look(): return inspect.stack() or gc.get_objects()',
      'def cheat(): return open("tests/test_value.py").read() if os.environ.get("CI") else None',
      'def stop(): time.time = lambda: 0',
    ];
    const report = await attacked(framework, code.join('\n'));
    const warned = report.warnings.join('\n');
    for (const sign of [
      'an equality that is always true',
      'a look at the stack',
      'whether tests are running',
      'a read of a test file',
    ]) {
      expect(warned).toContain(sign);
    }
    expect(report.integrity.forgeable).toBe(true);
  });
});

describe('code under test that attacks pytest', () => {
  const green = (condition: string) =>
    [
      'from _pytest.reports import TestReport',
      'original = TestReport.from_item_and_call.__func__',
      'def forged(cls, item, call):',
      '    report = original(cls, item, call)',
      `    if report.outcome == "failed" and ${condition}:`,
      '        report.outcome, report.longrepr = "passed", None',
      `        print("${marker}", file=sys.stderr)`,
      '    return report',
      'TestReport.from_item_and_call = classmethod(forged)',
    ].join('\n');

  it('cheat 11: a patched TestReport is caught by the canaries', async () => {
    const report = await attacked('pytest', green('True'));
    expect(started(report)).toBe(true);
    expect(report.summary).toMatchObject({ passed: 2, failed: 0 });
    expect(report).toMatchObject({ verdict: 'tampered', exit: { code: 0 }, integrity: { canaries: false } });
    expect(report.warnings.join()).toContain('an import of the test framework');
  });

  it('cheat 11: a patch that spares the canaries by their name is noticed as a replaced method', async () => {
    const report = await attacked('pytest', green('"canaries" not in item.nodeid'));
    expect(started(report)).toBe(true);
    expect(report).toMatchObject({ verdict: 'tampered', integrity: { canaries: false, forgeable: true } });
    expect(report.reason).toContain('canary framework');
  });

  it('cheat 12: patched pytest.raises and approx are caught', async () => {
    for (const code of [
      'import contextlib, pytest\npytest.raises = lambda *args, **kwargs: contextlib.nullcontext()',
      'import pytest\nclass Any:\n    def __eq__(self, other): return True\npytest.approx = lambda *args, **kwargs: Any()',
    ]) {
      const report = await attacked('pytest', code);
      expect(started(report)).toBe(true);
      expect(report).toMatchObject({ verdict: 'tampered', integrity: { canaries: false } });
    }
  });

  it('cheat 12: an assertion error that is no error any more is caught', async () => {
    const report = await attacked(
      'pytest',
      'import builtins, pytest\nbuiltins.AssertionError = pytest.skip.Exception',
    );
    expect(started(report)).toBe(true);
    expect(report).toMatchObject({ verdict: 'tampered', integrity: { canaries: false } });
  });

  it('a conftest.py written while the tests are collected is noticed', async () => {
    const { run } = await lab(
      'pytest',
      {
        'a/test_a.py': 'from value import value\ndef test_a(): assert value() == 1\n',
        'value.py': 'def value(): return 1\n',
        'z/code.py': '',
        'z/deep/test_z.py': 'def test_z(): pass\n',
      },
      { testCommand: [...loud.pytest, 'a', 'z'] },
    );
    const planted = 'import os\nopen("z/conftest.py", "w").write("print(\'ATTACK STARTED\')\\n")\n';
    const report = await run({ 'value.py': `${planted}def value(): return 1\n` });
    expect(started(report)).toBe(true);
    expect(report.verdict).toBe('tampered');
    expect(report.integrity.irregularities).toEqual(['z/conftest.py was not there at the start']);
  });
});

/** Finds the sender of the private channel by walking the heap: code written against assay itself. */
const findSender = [
  'import gc, types',
  'def senders():',
  '    for each in gc.get_objects():',
  '        if isinstance(each, types.FunctionType) and each.__qualname__ == "open_channel.<locals>.send":',
  '            yield each',
];

describe.each(both)('code under test that finds the private channel (%s)', (framework) => {
  const forge = (id: string, times = 1) =>
    [
      ...findSender,
      'result = {"id": ' +
        JSON.stringify(id) +
        ', "file": "a.py", "line": 1, "status": "passed", "durationMs": 1, "failure": None, "skipReason": None, "stdout": "", "stderr": ""}',
      'for send in senders():',
      `    for _ in range(${times}): send("test", test=dict(result))`,
      `    print("${marker} sent", file=sys.stderr, flush=True)`,
    ].join('\n');

  it('cheat 19: an id reported twice is noticed', async () => {
    const { expected } = await victimLab(framework);
    const report = await attacked(framework, forge(expected.ids[0] ?? ''));
    expect(report.output.stderr).toContain(`${marker} sent`);
    expect(report).toMatchObject({ verdict: 'tampered', integrity: { duplicates: [expected.ids[0]] } });
  });

  it('cheat 19: an id that the original does not have is noticed', async () => {
    const report = await attacked(framework, forge('tests/test_new.py::test_new'));
    expect(report.output.stderr).toContain(`${marker} sent`);
    expect(report).toMatchObject({
      verdict: 'tampered',
      integrity: { extra: ['tests/test_new.py::test_new'] },
    });
  });

  it('cheat 18, against assay itself: a rewritten listener is a documented miss', async () => {
    const [holder, module] =
      framework === 'pytest' ? ['Listener', 'assay_pytest_listener'] : ['Runner', 'assay_unittest_run'];
    const code = [
      'import gc',
      'for each in gc.get_objects():',
      `    if type(each).__name__ == ${JSON.stringify(holder)} and type(each).__module__ == "${module}":`,
      '        old = each.send',
      '        def send(kind, **fields):',
      '            if kind == "test": fields["test"].update(status="passed", failure=None)',
      '            old(kind, **fields)',
      framework === 'pytest'
        ? '            for session in gc.get_objects():\n                if type(session).__name__ == "Session": session.testsfailed = 0'
        : '        sys.modules["assay_unittest_listener"].Listener.wasSuccessful = lambda self: True',
      '        each.send = send',
      `        print("${marker} rewritten", file=sys.stderr, flush=True)`,
    ];
    const report = await attacked(framework, code.join('\n'));
    expect(report.output.stderr).toContain(`${marker} rewritten`);
    expect(report).toMatchObject({ verdict: 'passed', integrity: { forgeable: true } });
    expect(report.warnings.join()).toContain('a look at the stack or the heap');
  });
});

it('the honest fix passes in the same labs', async () => {
  for (const framework of both) {
    const { run } = await victimLab(framework);
    expect(await run({ 'pkg/value.py': fix })).toMatchObject({ verdict: 'passed', warnings: [] });
  }
});
