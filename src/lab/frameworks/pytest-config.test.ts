import { describe, expect, it } from 'vitest';
import { readPytestConfig } from './pytest-config.ts';

const read = (files: Record<string, string>) => readPytestConfig({ text: (file) => files[file] ?? null });

describe('a pytest configuration', () => {
  it('is read from an INI file with lists that go on below', () => {
    const text =
      '# c\n[pytest]\npython_files = check_*.py\n    *_spec.py\n; no\naddopts = -n 4\n  --cov\n[other]\naddopts = x\n';
    expect(read({ 'pytest.ini': text })).toEqual({
      file: 'pytest.ini',
      pythonFiles: ['check_*.py', '*_spec.py'],
      testpaths: [],
      pythonpath: [],
      addopts: '-n 4\n--cov',
    });
  });

  it('is read from pyproject.toml, strings and lists', () => {
    const text = [
      '[project]',
      'addopts = "not this"',
      '[tool.pytest.ini_options]',
      'minversion = "6.0"',
      'testpaths = [',
      '  "spec/",  # where they are',
      "  './more',",
      ']',
      'addopts = "-ra --strict-markers"',
      'pythonpath = ["app/src/"]',
      '[tool.black]',
      'python_files = ["x"]',
    ].join('\n');
    expect(read({ 'pyproject.toml': text })).toEqual({
      file: 'pyproject.toml',
      pythonFiles: [],
      testpaths: ['spec', 'more'],
      pythonpath: ['app/src'],
      addopts: '-ra --strict-markers',
    });
  });

  it('follows the order of precedence: an empty pytest.ini wins, other files need the section', () => {
    expect(read({ 'pytest.ini': '', 'setup.cfg': '[tool:pytest]\naddopts=-x' }).file).toBe('pytest.ini');
    expect(read({ 'pyproject.toml': '[project]\nname = "a"', 'tox.ini': '[pytest]\n' }).file).toBe('tox.ini');
    expect(read({ 'setup.cfg': '[metadata]\nname=a' }).file).toBeNull();
    expect(read({ 'pytest.toml': '[pytest]\naddopts = ["-q"]' }).addopts).toBe('-q');
  });
});
