import { describe, expect, it } from 'vitest';
import type { Edit } from '../../src/core/index.ts';
import { type FrameworkId, openProject } from '../../src/lab/index.ts';
import { attempt, folder, laid, proposal } from './attempt.ts';
import { asBody, create, replace } from './cheat.ts';
import { victims } from './victims.ts';

describe('--protect', () => {
  const files = {
    ...victims.unittest.files,
    'shop/rules.py': 'rate = 1\n',
    'data/golden.json': '{"total": 150}\n',
  };

  it('adds to what a patch may not touch, and leaves the rest open', async () => {
    const tries: Edit[][] = [
      [replace('shop/rules.py', 'rate = 1', 'rate = 2')],
      [replace('data/golden.json', '150', '200')],
      [create('data/more.json', '{}')],
      [{ op: 'rename', path: 'shop/rules.py', to: 'shop/other.py' }],
      [replace(victims.unittest.test, '150', '200')],
    ];
    const [first = [], ...others] = tries;
    const { result, events } = await attempt({
      framework: 'unittest',
      victim: { files },
      spec: { protect: ['shop/rules.py', 'data/**'] },
      replies: [proposal(first, others), proposal(asBody('unittest', victims.unittest.fix))],
    });
    const refused = events.flatMap((event) => (event.type === 'refused' ? event.refusals : []));
    expect(refused.map(({ code, path }) => [code, path])).toEqual([
      ['protected', 'shop/rules.py'],
      ['protected', 'data/golden.json'],
      ['protected', 'data/more.json'],
      ['protected', 'shop/rules.py'],
      ['protected', victims.unittest.test],
    ]);
    expect(refused[0]?.message).toContain('--protect');
    expect(result).toMatchObject({ status: 'done', rounds: 1 });
  });

  it('holds for the code under test too', async () => {
    const rewrite = [
      'try:',
      '    open("data/golden.json", "w").write("{}")',
      'except OSError as error:',
      '    os.write(2, ("golden: %s" % errno.errorcode[error.errno]).encode())',
      'return sum(prices)',
    ].join('\n');
    const { result, tested } = await attempt({
      framework: 'unittest',
      victim: { files },
      spec: { protect: ['data/**'] },
      replies: [proposal(asBody('unittest', rewrite, 'import errno, os'))],
    });
    expect(tested[0]?.output.stderr).toContain('golden: EROFS');
    expect(result.status).toBe('stuck');
  });
});

it('cheat 1, edit a test: what it expects, kept in a file that nothing protects, is warned of', async () => {
  const { source, test } = victims.unittest;
  const golden = 'data/golden.txt';
  const reading = `${victims.unittest.files[test]}`.replace(', 150)', `, int(open("${golden}").read()))`);
  const { result } = await attempt({
    framework: 'unittest',
    victim: { files: { ...victims.unittest.files, [test]: reading, [golden]: '150\n' } },
    replies: [proposal([replace(golden, '150', '200')])],
  });
  expect(result).toMatchObject({ status: 'done' });
  expect(result.patch).not.toContain(source);
  expect(result.warnings).toContain(
    `the patch changes ${golden}, which ${test} names: does it hold what the tests expect?`,
  );
});

const python = [
  'tests/test_price.py',
  'tests/helper/data.json',
  'pkg/test_in_place.py',
  'pkg/price_test.py',
  'conftest.py',
  'pkg/conftest.py',
  'pytest.ini',
  'tox.ini',
  'setup.cfg',
  'pyproject.toml',
  'requirements.txt',
  'poetry.lock',
  'sitecustomize.py',
  'pkg/evil.pth',
  'x.dist-info/entry_points.txt',
  '.github/workflows/ci.yml',
];
const defaults: Record<FrameworkId, string[]> = {
  pytest: [...python, 'checks/check_price.py'],
  unittest: python,
  'node-test': [
    'test/price.test.js',
    'src/price.test.ts',
    'src/price.spec.mjs',
    'src/__tests__/a.js',
    'src/__snapshots__/a.snap',
    'package.json',
    'src/package.json',
    'package-lock.json',
    'pnpm-lock.yaml',
    'node_modules/dep/index.js',
    'tsconfig.json',
    '.npmrc',
    '.github/workflows/ci.yml',
  ],
};
/** Configured by the project itself, where the framework lets it. */
const configured: Partial<Record<FrameworkId, Record<string, string>>> = {
  pytest: { 'pytest.ini': '[pytest]\npython_files = test_*.py check_*.py\n' },
};

it.each(Object.entries(defaults) as [FrameworkId, string[]][])(
  'the default protection of %s',
  async (framework, paths) => {
    const dir = laid({ files: { ...victims[framework].files, ...configured[framework] } });
    const project = await openProject({
      dir,
      scratch: folder('scratch'),
      testCommand: victims[framework].command,
    });
    const open = paths.filter((file) => project.protectedBecause(file) === null && !project.autoLoaded(file));
    expect(open).toEqual([]);
    const { source } = victims[framework];
    for (const file of [source, `${source}.txt`, 'docs/testing.md', 'contest.py', 'src/latest.js'])
      expect([file, project.protectedBecause(file)]).toEqual([file, null]);
  },
);
