import { createHash } from 'node:crypto';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest';
import type { CellEvidence, CellResult } from '../../core/index.ts';
import { openJupyterKernel } from '../jupyter/open-jupyter-kernel.ts';
import type { Kernel } from '../types.ts';
import { type EvidenceWatch, watchEvidence } from './cell-evidence.ts';
import { describeFigure } from './figures.ts';
import { keepCell } from './keep-cell.ts';
import { probeVariables } from './variables.ts';

const env = { ...process.env, VIRTUAL_ENV: path.resolve(import.meta.dirname, '../../../.venv') };
let kernel: Kernel;
let watch: EvidenceWatch;
beforeAll(async () => {
  kernel = await openJupyterKernel({ env, strict: inject('holdsEveryLimit') });
});
afterAll(() => kernel.close());
beforeEach(async () => {
  await kernel.execute('%reset -f');
  watch = watchEvidence(kernel);
  await watch.ground();
});

async function run(code: string): Promise<{ result: CellResult; evidence: CellEvidence }> {
  return watch.after({ result: await kernel.execute(code) });
}

type Changes = NonNullable<CellEvidence['variables']>;
async function changes(code: string): Promise<{ [Kind in keyof Changes]: string[] }> {
  const { result, evidence } = await run(code);
  expect(result.end).toEqual({ status: 'ok' });
  expect(evidence.warnings).toEqual([]);
  const { created = [], changed = [], deleted = [] } = evidence.variables ?? {};
  const names = (list: Changes['created']) => list.map(({ name }) => name).toSorted();
  return { created: names(created), changed: names(changed), deleted: deleted.toSorted() };
}

const none = { created: [], changed: [], deleted: [] };

describe('variables of a Python kernel', () => {
  it('tells type, shape and content in one short line', async () => {
    const { evidence } = await run(
      [
        'import numpy as np, pandas as pd, os',
        "prices = pd.DataFrame({'day': pd.date_range('2024-01-01', periods=3), 'eur': [1.5, 2.0, 3.25]})",
        'grid = np.zeros((2, 3))',
        "names = {'a': [1, 2], 'b': None}",
        "long = 'x' * 10_000_000",
        'huge = 10 ** 100_000',
        'def mean(values, weights=None): return 0',
      ].join('\n'),
    );
    const lines = Object.fromEntries(
      (evidence.variables?.created ?? []).map(({ name, type, shape, repr }) => [name, { type, shape, repr }]),
    );
    expect(lines).toEqual({
      prices: {
        type: 'DataFrame',
        shape: [3, 2],
        repr: expect.stringMatching(/^columns: day datetime64\[\w+\], eur float64$/),
      },
      grid: { type: 'ndarray', shape: [2, 3], repr: 'float64: 0, 0, 0, 0, 0, 0' },
      names: { type: 'dict', shape: [2], repr: "{'a': [1, 2], 'b': None}" },
      long: { type: 'str', shape: null, repr: expect.stringMatching(/^'x{150,}/) },
      huge: { type: 'int', shape: null, repr: 'int of 332193 bits' },
      mean: { type: 'function', shape: null, repr: 'function mean(values, weights)' },
    });
    for (const { repr } of evidence.variables?.created ?? []) expect(repr.length).toBeLessThanOrEqual(200);
  });

  it.each([
    ['an item of a list', 'x = [1, [2, 3]]', 'x[1].append(4)'],
    ['a value of a dict', "x = {'a': {'b': 1}}", "x['a']['b'] = 2"],
    ['an element of a set', 'x = {1, 2}', 'x.add(3)'],
    ['one number of an array', 'import numpy as np; x = np.zeros((500, 500))', 'x[250, 250] = 1'],
    [
      'one cell of a frame',
      "import pandas as pd; x = pd.DataFrame({'a': range(900), 's': 'b'})",
      "x.loc[450, 'a'] = -1",
    ],
    [
      'one text of a frame',
      "import pandas as pd; x = pd.DataFrame({'s': ['b'] * 900})",
      "x.loc[450, 's'] = 'c'",
    ],
    ['the index of a series', 'import pandas as pd; x = pd.Series([1, 2])', "x.index = ['a', 'b']"],
    ['an attribute of an object', 'class C: pass\nx = C(); x.w = [1]', 'x.w.append(2)'],
    ['the body of a function', 'def x(a): return a + 1', 'def x(a): return a + 2'],
    ['the type', 'x = 1', 'x = 1.0'],
    ['a value of a dict of many', 'x = {i: [i] for i in range(900)}', 'x[899].append(1)'],
    ['an attribute among attributes', 'class C: pass\nx = C(); x.a = 1; x.b = 2', 'x.b = 3'],
    ['a byte of many', 'x = bytearray(100_000)', 'x[50_000] = 1'],
  ])('sees a change of %s', async (_, make, change) => {
    expect((await changes(make)).created).toContain('x');
    expect(await changes('1')).toEqual(none);
    expect((await changes(change)).changed).toEqual(['x']);
    expect(await changes('len(dir())')).toEqual(none);
  });

  it('sees what is deleted, and neither modules nor what Jupyter itself keeps', async () => {
    expect(await changes('import os, sys as system\nx, _y = 1, 2')).toEqual({
      ...none,
      created: ['_y', 'x'],
    });
    expect(await changes('del x\n_y')).toEqual({ ...none, deleted: ['x'] });
  });

  it('runs no code of the user, leaves nothing behind, and survives what lies there', async () => {
    const made = await changes(
      [
        'calls = []',
        'class Trap:',
        '    def __repr__(self): calls.append("repr"); raise SystemExit',
        '    def __getattr__(self, name): calls.append(name); raise KeyboardInterrupt',
        '    def __eq__(self, other): calls.append("eq"); return 1 / 0',
        '    __hash__ = None',
        '    def __len__(self): calls.append("len"); return -1',
        '    @property',
        '    def shape(self): calls.append("shape"); return 1 / 0',
        '    @property',
        '    def __class__(self): calls.append("class"); raise MemoryError',
        'trap = Trap()',
        'class Loud(list):',
        '    def __iter__(self): calls.append("iter"); raise SystemExit',
        'loud = Loud([1])',
        'loop = []; loop.append(loop)',
        'deep = []',
        'for _ in range(100_000): deep = [deep]',
        "lone = '\\ud800'",
        'names = dir()',
        'exec = compile = len = None',
      ].join('\n'),
    );
    expect(made.created).toEqual(expect.arrayContaining(['trap', 'loud', 'loop', 'deep', 'lone']));
    const { result } = await run('print(calls, sorted(n for n in set(dir()) - set(names) if n[:2] != "_i"))');
    expect(result.outputs).toMatchObject([{ text: "[] ['compile', 'exec', 'len', 'names']\n" }]);
    await kernel.execute('del exec, compile, len');
  });

  it('asks no metaclass, and gives up on what takes for ever, sooner each time', async () => {
    const endless = 'while True: pass';
    const { evidence } = await run(
      `class Meta(type):\n    def __getattribute__(kind, name):\n        ${endless}\nclass Odd(metaclass=Meta): pass\nodd = Odd()`,
    );
    expect(evidence.warnings).toEqual([]);
    expect(evidence.variables?.created.find(({ name }) => name === 'odd')?.type).toBe('Odd');
    const variables = probeVariables(kernel, { deadlineMs: 1_500 });
    await variables.install();
    await kernel.execute(
      `import pandas as pd\nclass Frame(pd.DataFrame):\n    @property\n    def columns(self):\n        ${endless}\nframe = object.__new__(Frame)`,
    );
    const told = await variables.changes();
    expect(told.warnings).toEqual([expect.stringContaining('takes too long to tell what it holds')]);
    await kernel.execute('del frame');
    expect((await variables.changes()).warnings).toEqual([]);
  });

  it('stays out of the count and of the results of before', async () => {
    const first = await run('41 + 1');
    const second = await run('_');
    expect(second.result.outputs).toMatchObject([{ data: { 'text/plain': '42' } }]);
    expect(second.result.executionCount).toBe((first.result.executionCount ?? 0) + 1);
  });

  it('tells all as gone when the kernel died, and goes on in the next one', async () => {
    await changes('x = 1');
    const { evidence } = await run('import os; os._exit(1)');
    expect(evidence.variables).toEqual({ created: [], changed: [], deleted: ['x'] });
    expect(await changes('y = 2')).toEqual({ ...none, created: ['y'] });
    const { evidence: drawn } = await run(
      "import matplotlib.pyplot as plt\nplt.plot([1, 2]); plt.title('again'); plt.savefig('a.png')",
    );
    expect(drawn.figures).toMatchObject([{ output: expect.any(Number), file: 'a.png' }]);
  });

  it('never takes what is too large to be read whole for changed', async () => {
    await changes(
      [
        'import numpy as np, pandas as pd',
        'large = np.arange(5_000_000.0)',
        "zoned = pd.DataFrame({'t': pd.date_range('2024-01-01', periods=90_000, freq='h', tz='UTC')})",
        "kinds = pd.Series(['a', 'b'] * 50_000, dtype='category')",
        'mixed = np.array([1, None, 2.5] * 5_000, dtype=object)',
        'nested = [[i, {i}] for i in range(200_000)]',
        'index = {i: [i] for i in range(200_000)}',
        'many = {f"v{i}": list(range(1000)) for i in range(300)}',
        'globals().update(many)',
      ].join('\n'),
    );
    expect(await changes('1')).toEqual(none);
    expect(await changes('del v0, large')).toEqual({ ...none, deleted: ['large', 'v0'] });
    expect(await changes('new = 1')).toEqual({ ...none, created: ['new'] });
    expect((await changes('index[200_001] = 1; zoned = zoned.iloc[:-1]')).changed).toEqual([
      'index',
      'zoned',
    ]);
  });

  it('tells hundreds of variables and says how many more there are', async () => {
    const { evidence } = await run('for i in range(600): globals()[f"v{i}"] = i');
    expect(evidence.variables?.created).toHaveLength(500);
    expect(evidence.warnings).toEqual(['101 variables more were not looked at.']);
  });
});

describe('figures', () => {
  it('tells those that are shown in words, at their output, and keeps them under their title', async () => {
    const { result, evidence } = await run(
      [
        'import matplotlib.pyplot as plt',
        "print('before')",
        'fig, (left, right) = plt.subplots(1, 2)',
        "fig.suptitle('Wheat')",
        "left.plot([1, 2, 3], [10, 30, 20], label='price')",
        "left.set(title='Price', xlabel='year', ylabel='EUR/t', xlim=(0, 4), ylim=(0, 40))",
        "right.bar(['a', 'b'], [3, 4], label='stock')",
        "right.scatter([0, 1], [1, float('nan')], label='dots')",
        'plt.show()',
      ].join('\n'),
    );
    expect(evidence.figures).toMatchObject([
      {
        output: 1,
        file: null,
        title: 'Wheat',
        axes: [
          {
            title: 'Price',
            xLabel: 'year',
            yLabel: 'EUR/t',
            xRange: [0, 4],
            yRange: [0, 40],
            series: [{ kind: 'line', label: 'price', points: 3, xRange: [1, 3], yRange: [10, 30] }],
          },
          {
            series: [
              { kind: 'bar', label: 'stock', points: 2, yRange: [3, 4] },
              { kind: 'scatter', label: 'dots', points: 2, xRange: [0, 1], yRange: [1, 1] },
            ],
          },
        ],
      },
    ]);
    const [figure] = evidence.figures;
    expect(figure && describeFigure({ ...figure, file: 'wheat.png' })).toMatch(
      /^A figure titled "Wheat" in wheat.png with 2 axes\./,
    );
    expect(figure && describeFigure(figure)).toContain(
      'A figure titled "Wheat" with 2 axes. Axes 1 "Price": x "year" from 0 to 4, y "EUR/t" from 0 to 40. Drawn: line "price" of 3, x from 1 to 3, y from 10 to 30.',
    );
    const keep = async (data: Uint8Array | string) => ({
      sha256: createHash('sha256').update(data).digest('hex'),
      bytes: data.length,
    });
    const spilled = { stdout: null, stderr: null };
    const kept = await keepCell({ cell: 4, result, evidence, kernel, keep, spilled });
    expect(kept.artifacts.map(({ name, source }) => [name, source])).toEqual([
      ['cell-4-wheat.png', { kind: 'output', output: 1, mediaType: 'image/png' }],
    ]);
    expect(kept.result.outputs).toEqual([
      { output_type: 'stream', name: 'stdout', text: 'before\n' },
      {
        output_type: 'display_data',
        data: {
          'text/plain': '<Figure size 640x480 with 2 Axes>',
          'image/png': { artifact: kept.artifacts[0]?.sha256 },
        },
        metadata: {},
      },
    ]);
  });

  it('keeps what threads put out after their cell, while it was looked at too, and their images', async () => {
    const printed = [];
    const kept: string[] = [];
    const keep = async (data: Uint8Array | string, { mediaType }: { mediaType: string }) => {
      kept.push(mediaType);
      return { sha256: createHash('sha256').update(data).digest('hex'), bytes: data.length };
    };
    const going = [
      'import threading, time, base64',
      'from IPython.display import display, Image, DisplayHandle',
      'bar = display({"image/png": "AAAA", "text/plain": "first"}, raw=True, display_id="bar")',
      'def go():',
      '    time.sleep(0.05)',
      '    for i in range(400):',
      '        print(f"<{i}>", flush=True)',
      '        time.sleep(0.001)',
      '    display({"image/png": "AAAA", "text/plain": "late figure"}, raw=True)',
      '    bar.update({"image/png": "BBBB", "text/plain": "last"}, raw=True)',
      'thread = threading.Thread(target=go)',
      'thread.start()',
    ].join('\n');
    let updates = 0;
    for (const code of [
      going,
      ...Array.from({ length: 12 }, () => 'time.sleep(0.02)'),
      'thread.join()',
      '1',
    ]) {
      const { result, evidence } = await run(code);
      const spilled = { stdout: null, stderr: null };
      const cell = await keepCell({ cell: 1, result, evidence, kernel, keep, spilled });
      const { outputs, late = [] } = cell.result;
      printed.push(...[...late.map(({ output }) => output), ...outputs]);
      updates += cell.result.updates?.length ?? 0;
      expect(JSON.stringify(cell.result)).not.toMatch(/AAAA|BBBB/);
    }
    const text = printed.map((output) => (output.output_type === 'stream' ? output.text : '')).join('');
    const numbers = [...text.matchAll(/<(\d+)>/g)].map(([, number]) => Number(number));
    expect(numbers.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 400 }, (_, index) => index));
    expect(updates).toBeGreaterThan(0);
    // The first display, the late one, and the new content of the first.
    expect(kept).toEqual(['image/png', 'image/png', 'image/png']);
  });

  it('flags characters that no font has in every figure, though Python warns once or not at all', async () => {
    const flags = async (code: string) => {
      const { result, evidence } = await run(code);
      expect(result.end).toEqual({ status: 'ok' });
      return [...result.warnings, ...evidence.warnings].filter((text) => text.includes('empty boxes'));
    };
    // For private use: no font has them.
    const one = [expect.stringContaining('\ue130')];
    expect(await flags('import matplotlib.pyplot as plt\nplt.title("\\ue130"); plt.show()')).toEqual(one);
    expect(await flags('plt.title("\\ue130"); plt.show()')).toEqual(one);
    expect(await flags('plt.title("é"); plt.show()')).toEqual([]);
    const silent =
      'import warnings\nwith warnings.catch_warnings():\n    warnings.simplefilter("ignore")\n    ';
    const two = [expect.stringContaining('\ue131')];
    expect(await flags(`${silent}plt.title("\\ue131"); plt.savefig("box.png"); plt.close()`)).toEqual(two);
  });

  it('tells one that is shown and saved once, and one that is only saved by its file', async () => {
    const { evidence } = await run(
      [
        'import os, matplotlib.pyplot as plt',
        "os.makedirs('out', exist_ok=True)",
        "plt.plot([1]); plt.title('one'); plt.savefig('out/one.png'); plt.savefig('out/one.pdf'); plt.show()",
        "plt.plot([2]); plt.title('two'); plt.savefig('two.svg'); plt.close('all')",
        "plt.plot([3]); plt.title('three'); plt.savefig('/tmp/three.png'); plt.close('all')",
      ].join('\n'),
    );
    const told = evidence.figures.map(({ output, file, axes }) => [output, file, axes[0]?.title]);
    expect(told).toEqual([
      [0, 'out/one.png', 'one'],
      [null, 'out/one.pdf', 'one'],
      [null, 'two.svg', 'two'],
    ]);
    expect(evidence.files.created.map((file) => file.path)).toEqual([
      'out/one.pdf',
      'out/one.png',
      'two.svg',
    ]);
  });

  it('fails as matplotlib itself does', async () => {
    const { result } = await run("import matplotlib.pyplot as plt\nplt.plot([1]); plt.savefig('a.nonsense')");
    expect(result.end).toMatchObject({ status: 'error', ename: 'ValueError' });
    const error = result.outputs.find((output) => output.output_type === 'error');
    expect(JSON.stringify(error)).not.toContain('assay_figures');
  });
});

describe('files', () => {
  it('that are links, pipes, or have names that cannot be shown are counted and no more', async () => {
    const { evidence } = await run(
      "import os\nos.symlink('/etc/passwd', 'linked.csv'); os.mkfifo('pipe.csv'); open('a\\nb.csv', 'w').close()",
    );
    expect(evidence.files.created).toEqual([]);
    expect(evidence.warnings).toEqual([
      expect.stringMatching(/^3 names in the working folder left out: links/),
    ]);
    const after = await run("for name in ('linked.csv', 'pipe.csv', 'a\\nb.csv'): os.remove(name)");
    expect(after.evidence.warnings).toEqual([]);
  });

  it('are told with their hashes: made, written over with as many bytes, touched and removed', async () => {
    const made = await run(
      "import os; os.makedirs('a/b'); open('a/b/c.txt', 'w').write('one'); open('d', 'w')",
    );
    const hash = (text: string) => createHash('sha256').update(text).digest('hex');
    expect(made.evidence.files.created).toEqual([
      { path: 'a/b/c.txt', bytes: 3, sha256: hash('one') },
      { path: 'd', bytes: 0, sha256: hash('') },
    ]);
    const over = await run(
      "t = os.stat('a/b/c.txt'); open('a/b/c.txt', 'w').write('two'); os.utime('a/b/c.txt', ns=(t.st_atime_ns, t.st_mtime_ns)); os.utime('d')",
    );
    expect(over.evidence.files).toEqual({
      created: [],
      changed: [{ path: 'a/b/c.txt', bytes: 3, sha256: hash('two'), before: hash('one') }],
      deleted: [],
    });
    const gone = await run("os.remove('a/b/c.txt'); os.remove('d')");
    expect(gone.evidence.files.deleted.map(({ path: name }) => name)).toEqual(['a/b/c.txt', 'd']);
  });
});
