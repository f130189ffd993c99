import * as fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { labFixture, python } from '../lab.fixture.ts';
import { keepByteCode } from './byte-code.ts';
import type { Snapshot } from './take-snapshot.ts';

const { lab, folder } = labFixture();

const report = (name: string) =>
  `import os, sys\nprint("${name}", os.path.exists(__cached__), file=sys.stderr, flush=True)\n`;
const files = {
  'pkg/__init__.py': '',
  'pkg/a.py': `${report('a')}value = 1\n`,
  'pkg/b.py': `${report('b')}value = 1\n`,
  'tests/test_x.py': `import glob, os, sys\nimport pkg.a, pkg.b\nprint("rewritten", len(glob.glob(os.path.dirname(__file__) + "/__pycache__/test_x*pytest*.pyc")), file=sys.stderr)\n\ndef test_x():\n    assert pkg.a.value == pkg.b.value == 1\n`,
};

describe('byte code', () => {
  it('of the original project is found by later runs, but never that of a changed file', async () => {
    const { run } = await lab('pytest', files, { testCommand: [python, '-m', 'pytest', '-s'] });
    const first = await run();
    expect(first.verdict).toBe('passed');
    for (const line of ['a True', 'b True', 'rewritten 1']) expect(first.output.stderr).toContain(line);
    const sameSize = await run({ 'pkg/a.py': files['pkg/a.py'].replace('value = 1', 'value = 2') });
    expect(sameSize.output.stderr).toContain('a False');
    expect(sameSize.output.stderr).toContain('b True');
    expect(sameSize.verdict).toBe('failed');
    expect((await run({ 'pkg/a.py': null })).verdict).toBe('failed');
  });

  it('is kept only beside a source of the project, wherever it claims to lie', () => {
    const sealedDir = folder('sealed');
    const openDir = folder('open');
    const base = {
      openDir,
      sealedDir,
      openFiles: ['a.py', 'x/b.py'],
      sealedFiles: ['t/test_a.py'],
    } as unknown as Snapshot;
    const kept = keepByteCode({
      base,
      received: [
        '__pycache__/a.cpython-311.pyc',
        'x/__pycache__/b.cpython-311.opt-1.pyc',
        't/__pycache__/test_a.cpython-311-pytest-9.0.2.pyc',
        '__pycache__/gone.cpython-311.pyc',
        '__pycache__/../a.cpython-311.pyc',
        '../__pycache__/a.cpython-311.pyc',
        '/etc/__pycache__/a.cpython-311.pyc',
        'x/../__pycache__/a.cpython-311.pyc',
        'a.py',
        '__pycache__/a.py',
      ].map((file) => ({ file, data: Buffer.from('code').toString('base64') })),
    });
    expect(kept.open).toEqual([
      { file: '__pycache__/a.cpython-311.pyc', source: 'a.py' },
      { file: 'x/__pycache__/b.cpython-311.opt-1.pyc', source: 'x/b.py' },
    ]);
    expect([...kept.sealed]).toEqual(['t/__pycache__']);
    const written = (dir: string) =>
      fs
        .readdirSync(dir, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => path.relative(dir, path.join(entry.parentPath, entry.name)))
        .sort();
    expect(written(openDir)).toEqual(kept.open.map(({ file }) => file).sort());
    expect(written(sealedDir)).toEqual(['t/__pycache__/test_a.cpython-311-pytest-9.0.2.pyc']);
  });
});
