import { describe, expect, it } from 'vitest';
import { reportSchema } from '../../core/index.ts';
import { labFixture, python, statusOf } from '../lab.fixture.ts';

const { lab } = labFixture();

const sum =
  'def total(numbers):\n    result = 0\n    for n in numbers:\n        result += n\n    return result\n';
const broken = sum.replace('+=', '-=');
const small = {
  'pkg/__init__.py': '',
  'pkg/sums.py': sum,
  'tests/test_sums.py':
    'from pkg.sums import total\n\n\ndef test_total():\n    assert total([1, 2]) == 3\n\n\ndef test_empty():\n    assert total([]) == 0\n',
};

describe('a pytest suite in the lab', () => {
  it('passes when it passes, and the report proves it', async () => {
    const { project, expected, run } = await lab('pytest', small);
    expect(expected).toMatchObject({
      source: 'collected',
      ids: ['tests/test_sums.py::test_total', 'tests/test_sums.py::test_empty'],
    });
    const seen: number[] = [];
    const report = await run({}, { onProgress: (n) => seen.push(n) });
    expect(reportSchema.safeParse(report).error).toBeUndefined();
    expect(report).toMatchObject({
      verdict: 'passed',
      summary: { total: 2, passed: 2, failed: 0, skipped: 0 },
      integrity: { expected: 'collected', completed: true, canaries: true, changedFiles: [] },
      exit: { reason: 'exited', code: 0 },
      warnings: [],
    });
    expect(report.enforcement.isolation).not.toBe('none');
    expect(seen.at(-1)).toBe(2);
    expect(project.files).toEqual(['pkg/__init__.py', 'pkg/sums.py', 'tests/test_sums.py']);
  });

  it('fails with the whole failure where the patch is wrong', async () => {
    const { run } = await lab('pytest', small);
    const report = await run({ 'pkg/sums.py': broken.replace('-=', '-= print("seen") or ') });
    expect(report).toMatchObject({ verdict: 'failed', reason: '1 of 2 tests failed', exit: { code: 1 } });
    const [failing] = report.tests;
    expect(failing).toMatchObject({
      id: 'tests/test_sums.py::test_total',
      file: 'tests/test_sums.py',
      line: 4,
      status: 'failed',
      stdout: 'seen\nseen\n',
      failure: { type: 'AssertionError' },
    });
    expect(failing?.failure?.message).toContain('assert -3 == 3');
    expect(failing?.failure?.trace).toContain('>       assert total([1, 2]) == 3');
    expect(failing?.failure?.frames).toEqual([
      { file: 'tests/test_sums.py', line: 5, function: 'test_total', inProject: true },
    ]);
    expect(statusOf(report, 'tests/test_sums.py::test_empty')).toBe('passed');
  });

  it('tells every kind of result apart', async () => {
    const tests = [
      'import pytest',
      '@pytest.mark.parametrize("n", [1, 2])\ndef test_each(n): assert n < 2',
      '@pytest.mark.skip(reason="later")\ndef test_marked(): pass',
      'def test_at_run_time(): pytest.skip("now")',
      '@pytest.mark.xfail(reason="known")\ndef test_known(): assert 0',
      '@pytest.mark.xfail\ndef test_better(): pass',
      '@pytest.mark.xfail(strict=True)\ndef test_strict(): pass',
      '@pytest.fixture\ndef bad(): raise ValueError("fixture")',
      'def test_set_up(bad): pass',
      '@pytest.fixture\ndef late():\n    yield\n    raise ValueError("late")',
      'def test_clean_up(late): pass',
      'class TestClass:\n    def test_method(self): pass',
    ];
    const { expected, run } = await lab('pytest', { 'test_kinds.py': tests.join('\n\n') });
    expect(expected.skipped).toEqual(['test_kinds.py::test_marked']);
    expect(expected.xfailed).toEqual(
      ['known', 'better', 'strict'].map((name) => `test_kinds.py::test_${name}`),
    );
    const report = await run();
    expect(report.tests.map(({ id, status }) => `${id.slice('test_kinds.py::'.length)} ${status}`)).toEqual([
      'test_each[1] passed',
      'test_each[2] failed',
      'test_marked skipped',
      'test_at_run_time skipped',
      'test_known xfailed',
      'test_better xpassed',
      'test_strict failed',
      'test_set_up error',
      'test_clean_up error',
      'TestClass::test_method passed',
    ]);
    expect(report.tests.find((test) => test.status === 'skipped')?.skipReason).toBe('later');
    expect(report.tests.find((test) => test.status === 'error')?.failure).toMatchObject({
      type: 'ValueError',
      message: 'fixture',
    });
  });

  it('honours the project s own configuration, conftest and fixtures', async () => {
    const { expected, run } = await lab('pytest', {
      'pytest.ini': '[pytest]\npython_files = check_*.py\naddopts = -x --ff\npythonpath = lib\n',
      'conftest.py':
        'import pytest\n\n@pytest.fixture(autouse=True)\ndef seven(request):\n    request.node.seven = 7\n',
      'lib/deep.py': 'value = 7\n',
      'checks/check_it.py':
        'import deep\n\ndef test_bad(): assert 0\n\ndef test_seven(request): assert request.node.seven == deep.value\n',
    });
    expect(expected.ids).toEqual(['checks/check_it.py::test_bad', 'checks/check_it.py::test_seven']);
    const report = await run();
    // `-x` must not keep the second test from running.
    expect(report.tests.map((test) => test.status)).toEqual(['failed', 'passed']);
    expect(report.integrity.canaries).toBe(true);
  });

  it('tells a file that cannot be collected, runs the others, and expects its tests once it can', async () => {
    const { expected, run } = await lab('pytest', {
      'pkg.py': 'def half(n):\n    return n / 2 2\n',
      'test_half.py':
        'from pkg import half\n\nclass Base:\n    def test_inherited(self): pass\n\nclass TestHalf(Base):\n    def test_half(self): assert half(4) == 2\n',
      'test_other.py': 'def test_other(): pass\n',
    });
    expect(expected).toMatchObject({
      source: 'collected',
      ids: ['test_other.py::test_other'],
      partial: [{ file: 'test_half.py', ids: ['test_half.py::TestHalf::test_half'] }],
    });
    const before = await run();
    expect(before).toMatchObject({
      verdict: 'failed',
      integrity: { missing: ['test_half.py::TestHalf::test_half'] },
    });
    expect(before.problems).toMatchObject([{ file: 'test_half.py', type: 'SyntaxError' }]);
    expect(before.problems[0]?.frames.at(-1)).toMatchObject({ file: 'pkg.py', line: 2, inProject: true });
    expect(before.problems[0]?.trace).toContain('return n / 2 2');
    expect(statusOf(before, 'test_other.py::test_other')).toBe('passed');
    const after = await run({ 'pkg.py': 'def half(n):\n    return n / 2\n' });
    expect(after).toMatchObject({ verdict: 'passed', summary: { passed: 3 } });
  });

  it('takes the user s own command: selection, environment and interpreter flags', async () => {
    const files = {
      ...small,
      'tests/test_env.py':
        'import os, sys\n\ndef test_env():\n    assert os.environ["MODE"] == "on" and sys.flags.bytes_warning == 1\n',
    };
    const testCommand = ['MODE=on', python, '-b', '-m', 'pytest', 'tests/test_env.py'];
    const { expected, run } = await lab('pytest', files, { testCommand });
    expect(expected.ids).toEqual(['tests/test_env.py::test_env']);
    expect((await run()).verdict).toBe('passed');
  });

  it('gives the tests a plain place: no terminal, no network, fixed seeds, nothing of assay', async () => {
    const probe = [
      'import os, socket, sys, time',
      'def test_place():',
      '    assert not sys.stdout.isatty() and not os.isatty(0)',
      '    assert os.environ["TZ"] == "UTC" and os.environ["CI"] == "1" and time.timezone == 0',
      '    assert os.environ["PYTHONHASHSEED"] == "0" and sys.flags.hash_randomization == 0',
      '    assert not any(name.startswith("ASSAY") for name in os.environ)',
      '    assert not os.path.exists(".git")',
      'def test_network():',
      '    socket.create_connection(("example.org", 80), timeout=5)',
    ];
    const { run } = await lab('pytest', { 'test_place.py': probe.join('\n') });
    const report = await run();
    expect(report.tests.map((test) => test.status)).toEqual(['passed', 'failed']);
    expect(report.warnings.join()).toContain('the sandbox has no network: test_place.py::test_network');
  });
});
