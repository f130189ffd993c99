import { describe, expect, it } from 'vitest';
import type { Coverage } from '../../../core/index.ts';
import { failingTest, madeFeedback, madeTools } from '../proposer.fixture.ts';
import { gatherMaterial } from './material.ts';

const files: Record<string, string> = {
  '.env': 'LOGIN=x\n',
  'certs/server.key': 'x\n',
  'pkg/__init__.py': '',
  'pkg/deep.py': 'deep\n',
  'pkg/everywhere.py': 'everywhere\n',
  'pkg/named.py': 'named\n',
  'pkg/unseen.py': 'unseen\n',
  'poetry.lock': 'x'.repeat(100),
  'src/total.py': 'total\n',
  'tests/test_total.py': 'from pkg import named\nfrom pkg.unseen_too import x\n',
};
const id = 'tests/test_total.py::test_sum';

function gather(given: { coverage?: Coverage | null; maxOtherChars?: number; id?: string } = {}) {
  const { coverage = null, maxOtherChars = 10_000 } = given;
  const feedback = madeFeedback({
    failing: [failingTest({ id: given.id ?? id })],
    flaky: ['tests/test_total.py::flaky'],
  });
  return gatherMaterial({ feedback, tools: madeTools({ files }), coverage, maxOtherChars });
}

const paths = (role: string, material: ReturnType<typeof gather>) =>
  material.sources.filter((source) => source.role === role).map(({ path }) => path);

describe('gatherMaterial', () => {
  it('finds what stack traces name, the tests, and the modules that these name', () => {
    const material = gather();
    expect(paths('code', material)).toEqual(['src/total.py', 'pkg/named.py']);
    expect(material.sources[0]).toMatchObject({ named: [4], protectedBecause: null });
    expect(paths('test', material)).toEqual(['tests/test_total.py']);
    expect(material.sources[1]).toMatchObject({ named: [3], protectedBecause: 'a test' });
  });

  it('puts first what failing tests ran and passing ones did not', () => {
    const lines = (...ran: string[]) => Object.fromEntries(ran.map((path) => [path, [3, 1, 1]]));
    const coverage: Coverage = {
      tests: [
        { id, passed: false, lines: lines('pkg/everywhere.py', 'pkg/deep.py') },
        { id: 'other', passed: true, lines: lines('pkg/everywhere.py', 'pkg/unseen.py') },
        { id: 'tests/test_total.py::flaky', passed: false, lines: lines('pkg/unseen.py') },
      ],
    };
    const material = gather({ coverage });
    expect(paths('code', material)).toEqual([
      'src/total.py',
      'pkg/deep.py',
      'pkg/everywhere.py',
      'pkg/named.py',
    ]);
    expect(material.sources[1]?.ran).toEqual([1, 3]);
  });

  it('holds the rest of a small project but for what is empty or generated, and none of it of a larger one', () => {
    const small = gather();
    expect(small.complete).toBe(true);
    expect(paths('other', small)).toEqual(['pkg/deep.py', 'pkg/everywhere.py', 'pkg/unseen.py']);
    const large = gather({ maxOtherChars: 10 });
    expect(large.complete).toBe(false);
    expect(paths('other', large)).toEqual([]);
    expect(large.files).toContain('pkg/deep.py');
  });

  it('holds no file with credentials, not even its name', () => {
    const told = JSON.stringify(gather());
    expect(told).toContain('pkg/deep.py');
    expect(told).not.toMatch(/\.env|server\.key/);
  });

  it('reads nothing outside the files it is given', () => {
    const material = gather({ id: '../../etc/passwd::x' });
    expect(material.sources.every(({ path }) => Object.hasOwn(files, path))).toBe(true);
  });
});
