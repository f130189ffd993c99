import { describe, expect, it } from 'vitest';
import { parsePythonCommand } from './python-command.ts';

const pytest = { name: 'pytest', scripts: ['pytest', 'py.test'] };
const parse = (command: string) => parsePythonCommand(command.split(' '), pytest);

describe('a Python test command', () => {
  it.each([
    ['pytest -q tests', { program: null, via: 'script', flags: [], args: ['-q', 'tests'], env: {} }],
    ['py.test', { program: null, via: 'script', flags: [], args: [], env: {} }],
    ['.venv/bin/pytest x', { program: '.venv/bin/python', via: 'script', flags: [], args: ['x'], env: {} }],
    ['python -m pytest -k a', { program: 'python', via: 'module', flags: [], args: ['-k', 'a'], env: {} }],
    [
      'python3.12 -W error -B -m pytest',
      { program: 'python3.12', via: 'module', flags: ['-W', 'error', '-B'], args: [], env: {} },
    ],
    [
      '/opt/py/bin/python3 -m pytest',
      { program: '/opt/py/bin/python3', via: 'module', flags: [], args: [], env: {} },
    ],
    [
      'PYTHONPATH=src A= pytest',
      { program: null, via: 'script', flags: [], args: [], env: { PYTHONPATH: 'src', A: '' } },
    ],
    ['env X=1 python -m pytest', { program: 'python', via: 'module', flags: [], args: [], env: { X: '1' } }],
    ['uv run --frozen pytest a', { program: null, via: 'script', flags: [], args: ['a'], env: {} }],
    ['poetry run python -m pytest', { program: 'python', via: 'module', flags: [], args: [], env: {} }],
    [
      'coverage run --source=a -m pytest b',
      { program: 'python', via: 'module', flags: [], args: ['b'], env: {} },
    ],
    [
      'python3 -m coverage run -m pytest',
      { program: 'python3', via: 'module', flags: [], args: [], env: {} },
    ],
  ])('is understood: %s', (command, expected) => {
    expect(parse(command)).toEqual(expected);
  });

  it.each([
    'make test',
    'python setup.py test',
    'python -m unittest',
    'python script.py -m pytest',
    'tox',
    'uv run',
    '',
  ])('is not this framework: %s', (command) => {
    expect(parse(command)).toBeNull();
  });
});
