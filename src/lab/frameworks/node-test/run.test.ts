import { describe, expect, it } from 'vitest';
import { reportSchema } from '../../../core/index.ts';
import { labFixture, statusOf } from '../../lab.fixture.ts';

const { lab, open, write } = labFixture();

const manifest = { 'package.json': '{ "type": "module", "scripts": { "test": "node --test" } }' };
const sum = 'export const total = (numbers) => numbers.reduce((sum, n) => sum + n, 0);\n';
const small = {
  ...manifest,
  'src/sums.js': sum,
  'test/sums.test.js': `import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { total } from '../src/sums.js';

describe('total', () => {
  it('adds', () => assert.equal(total([1, 2]), 3));
  it('of nothing is 0', () => assert.equal(total([]), 0));
});
`,
};
const header =
  "import assert from 'node:assert';\nimport { test, describe, it, before, after, beforeEach } from 'node:test';\n";

describe('a node:test suite in the lab', () => {
  it('passes when it passes, and the report proves it', async () => {
    const { project, expected, run } = await lab('node-test', small);
    expect(expected).toMatchObject({
      source: 'collected',
      ids: ['test/sums.test.js > total > adds', 'test/sums.test.js > total > of nothing is 0'],
    });
    const report = await run();
    expect(reportSchema.safeParse(report).error).toBeUndefined();
    expect(report).toMatchObject({
      verdict: 'passed',
      summary: { total: 2, passed: 2, failed: 0, skipped: 0 },
      integrity: {
        expected: 'collected',
        completed: true,
        canaries: true,
        forgeable: true,
        changedFiles: [],
      },
      exit: { reason: 'exited', code: 0 },
      warnings: [],
    });
    expect(project.files).toContain('src/sums.js');
  });

  it('fails with the whole failure where the patch is wrong', async () => {
    const { run } = await lab('node-test', small);
    const wrong =
      'export function total(numbers) {\n  if (numbers.length > 1) throw new RangeError("two");\n  return 0;\n}\n';
    const report = await run({ 'src/sums.js': wrong });
    expect(report).toMatchObject({ verdict: 'failed', reason: '1 of 2 tests failed', exit: { code: 1 } });
    expect(report.tests[0]).toMatchObject({
      id: 'test/sums.test.js > total > adds',
      file: 'test/sums.test.js',
      line: 6,
      status: 'failed',
      failure: { type: 'RangeError', message: 'two' },
    });
    const failure = report.tests[0]?.failure;
    expect(failure?.trace).toMatch(/^RangeError: two\n {4}at total /);
    expect(failure?.frames).toEqual([
      { file: 'test/sums.test.js', line: 6, function: 'TestContext.<anonymous>', inProject: true },
      { file: 'src/sums.js', line: 2, function: 'total', inProject: true },
    ]);
    expect(statusOf(report, 'test/sums.test.js > total > of nothing is 0')).toBe('passed');
  });

  it('is found by its manifest, by what its files import, or by their names', async () => {
    const { 'package.json': _, ...bare } = small;
    const mjs = { 'a.test.mjs': `${header}test('x', () => {});` };
    for (const files of [small, { ...bare, 'package.json': '{"type": "module"}' }, mjs]) {
      expect((await open(write(files))).framework).toBe('node-test');
    }
    const jest = {
      'package.json': '{ "devDependencies": { "jest": "30" } }',
      'a.test.js': 'test("x", () => {})',
    };
    await expect(open(write(jest))).rejects.toMatchObject({ code: 'environment' });
  });

  it('runs TypeScript as it is, with lines of the source', async () => {
    const { run } = await lab('node-test', {
      ...manifest,
      'src/age.ts':
        'export type Person = {\n  born: number;\n};\n\nexport function age(person: Person, year: number): number {\n  return year + person.born;\n}\n',
      'test/age.test.ts':
        "import assert from 'node:assert';\nimport { test } from 'node:test';\nimport { age, type Person } from '../src/age.ts';\n\ntest('is counted in years', () => {\n  const ada: Person = { born: 1815 };\n  assert.equal(age(ada, 1852), 37);\n});\n",
    });
    const red = await run();
    expect(red.tests).toMatchObject([
      { id: 'test/age.test.ts > is counted in years', line: 5, status: 'failed' },
    ]);
    expect(red.tests[0]?.failure?.frames.at(-1)).toMatchObject({ file: 'test/age.test.ts', line: 7 });
    const fixed =
      'export type Person = { born: number };\nexport const age = (person: Person, year: number) => year - person.born;\n';
    expect((await run({ 'src/age.ts': fixed })).verdict).toBe('passed');
  });

  it('tells every kind of result apart', async () => {
    const { expected, run } = await lab('node-test', {
      ...manifest,
      'kinds.test.js': `${header}
test('passes', () => {});
test('fails', () => assert.ok(0));
test('rejects', async () => { await null; throw new TypeError('later'); });
test('throws no error', () => { throw 'text'; });
test('skipped', { skip: 'not yet' }, () => {});
test('skips itself', (t) => t.skip('no disk'));
test('todo that fails', { todo: 'some day' }, () => assert.ok(0));
test('todo that passes', { todo: true }, () => {});
test('too slow', { timeout: 20 }, () => new Promise((r) => setTimeout(r, 5000).unref()));
test('callback', (t, done) => setTimeout(done, 1));
`,
    });
    expect(expected.ids).toHaveLength(10);
    expect(expected.skipped).toEqual(['kinds.test.js > skipped']);
    expect(expected.xfailed).toEqual(['kinds.test.js > todo that fails', 'kinds.test.js > todo that passes']);
    const report = await run();
    expect(report.tests.map(({ id, status, skipReason }) => [id.slice(16), status, skipReason])).toEqual([
      ['passes', 'passed', null],
      ['fails', 'failed', null],
      ['rejects', 'failed', null],
      ['throws no error', 'failed', null],
      ['skipped', 'skipped', 'not yet'],
      ['skips itself', 'skipped', 'no disk'],
      ['todo that fails', 'xfailed', 'some day'],
      ['todo that passes', 'xpassed', null],
      ['too slow', 'failed', null],
      ['callback', 'passed', null],
    ]);
    expect(report.tests[3]?.failure).toMatchObject({ type: '', message: 'text' });
    expect(report.tests[8]?.failure?.message).toContain('timed out');
  });

  it('makes sub-tests a part of their test: what fails in them is the failure of the test', async () => {
    const { expected, run } = await lab('node-test', {
      ...manifest,
      'a.test.js': `${header}
test('table', async (t) => {
  for (const n of [1, 2, 3]) await t.test(\`row \${n}\`, () => assert.equal(n % 2, 1));
});
describe('suite', () => {
  test('deep', async (t) => { await t.test('x', (t) => t.test('y', () => { throw new RangeError('deepest'); })); });
});
`,
    });
    expect(expected.ids).toEqual(['a.test.js > table', 'a.test.js > suite > deep']);
    const report = await run();
    expect(report).toMatchObject({ verdict: 'failed', reason: '2 of 2 tests failed', problems: [] });
    expect(report.tests[0]?.failure).toMatchObject({
      type: 'AssertionError',
      message: expect.stringContaining('row 2: '),
    });
    expect(report.tests[1]?.failure).toMatchObject({ type: 'RangeError', message: 'x: y: deepest' });
  });

  it('numbers tests of the same name, and names without end or with line ends stay ids', async () => {
    const names = ['same', 'same', 'a > b', 'line\\nend', '\\u001b[31mred', 'x'.repeat(4096)];
    const { expected, run } = await lab('node-test', {
      ...manifest,
      'a.test.js': `${header}${names.map((name) => `test("${name}", () => {});`).join('\n')}
describe('a', () => { it('b', () => {}); });`,
    });
    expect(expected.ids.slice(0, 4)).toEqual(
      ['same', 'same#2', 'a > b', 'line\nend'].map((name) => `a.test.js > ${name}`),
    );
    expect(expected.ids.at(-1)).toBe('a.test.js > a > b#2');
    const report = await run();
    expect(report).toMatchObject({ verdict: 'passed', summary: { total: 7 } });
  });

  it('reports a failing hook as the problem it is', async () => {
    const { run } = await lab('node-test', {
      ...manifest,
      'a.test.js': `${header}
describe('hooked', () => { before(() => { throw new Error('no database'); }); it('reads', () => {}); });
describe('each', () => { beforeEach(() => { throw new Error('no table'); }); it('writes', () => {}); });
describe('late', () => { after(() => { throw new Error('cannot close'); }); it('closes', () => {}); });
`,
    });
    const report = await run();
    expect(report.verdict).toBe('failed');
    expect(report.tests.map(({ status }) => status)).toEqual(['error', 'error', 'passed']);
    expect(report.problems.map(({ message }) => message)).toEqual(['no database', 'cannot close']);
    expect(report.tests[1]?.failure?.message).toContain('no table');
  });

  it('is not passed when an error comes after the tests', async () => {
    const { run } = await lab('node-test', {
      ...manifest,
      'a.test.js': `${header}test('starts something', () => { setTimeout(() => { throw new Error('too late'); }, 50); });`,
    });
    const report = await run();
    expect(report.verdict).toBe('failed');
    expect(report.problems).toMatchObject([{ file: 'a.test.js', message: 'too late' }]);
    expect(report.problems[0]?.frames).toMatchObject([{ file: 'a.test.js' }]);
  });

  it('is not passed when the process ends with another exit code than its tests call for', async () => {
    const { run } = await lab('node-test', {
      ...manifest,
      'a.test.js': `${header}test('passes', () => { process.exitCode = 7; });`,
    });
    const report = await run();
    expect(report.verdict).toBe('failed');
    expect(report.problems[0]?.message).toContain('exit code 7');
  });

  it('says where a file cannot be loaded, expects its tests by their text, and sees them once it can', async () => {
    const { expected, run } = await lab('node-test', {
      ...small,
      'src/sums.js': 'export const total = (;\n',
    });
    expect(expected.partial).toEqual([
      {
        file: 'test/sums.test.js',
        ids: ['test/sums.test.js > total > adds', 'test/sums.test.js > total > of nothing is 0'],
      },
    ]);
    expect(expected.problems).toMatchObject([{ type: 'SyntaxError', file: 'test/sums.test.js' }]);
    const broken = await run();
    expect(broken).toMatchObject({ verdict: 'failed', integrity: { missing: expected.partial?.[0]?.ids } });
    expect(broken.problems[0]?.frames.at(-1)).toMatchObject({
      file: 'src/sums.js',
      line: 1,
      inProject: true,
    });
    expect(await run({ 'src/sums.js': sum })).toMatchObject({ verdict: 'passed', summary: { total: 2 } });
    expect((await run({ 'src/sums.js': 'throw new Error("at import");\n' })).verdict).toBe('failed');
  });

  it('takes a file without tests as a test, as node does', async () => {
    const files = {
      ...manifest,
      'src/sums.js': sum,
      'test/plain.js':
        "import assert from 'node:assert';\nimport { total } from '../src/sums.js';\nassert.equal(total([2, 2]), 4);\n",
    };
    const { expected, run } = await lab('node-test', files);
    expect(expected.ids).toEqual(['test/plain.js']);
    expect((await run()).verdict).toBe('passed');
    const red = await run({ 'src/sums.js': sum.replace('+ n', '- n') });
    expect(red).toMatchObject({ verdict: 'failed', tests: [{ id: 'test/plain.js', status: 'failed' }] });
    expect(red.tests[0]?.failure).toMatchObject({ type: 'AssertionError' });
    expect(red.tests[0]?.failure?.frames.at(-1)).toMatchObject({ file: 'test/plain.js', line: 3 });
  });

  it('ends a hang by the time limit and keeps what was finished', async () => {
    const { run } = await lab('node-test', {
      ...manifest,
      'a.test.js': `${header}test('quick', () => {});\ntest('endless', () => { for (;;); });`,
    });
    const report = await run({}, { limits: { wallMs: 3000 } });
    expect(report).toMatchObject({ verdict: 'timeout', exit: { reason: 'timeout' } });
    expect(report.integrity.missing).toContain('a.test.js > endless');
  });

  it('ends tests that hang, each by itself where it waits, else with its file', async () => {
    const { run, expected } = await lab('node-test', {
      ...manifest,
      'waits.test.js': `${header}test('waits', () => new Promise(() => setInterval(() => {}, 1000)));
test('after', () => {});`,
      'spins.test.js': `${header}test('spins', () => { for (;;); });\ntest('never', () => {});`,
      'quick.test.js': `${header}test('quick', () => {});`,
    });
    expect(expected.ids).toHaveLength(5);
    const report = await run({}, { limits: { testMs: 1000 } });
    expect(report.verdict).toBe('failed');
    const statuses = report.tests.map(({ id, status }) => [id, status]);
    expect(statuses.toSorted()).toEqual([
      ['quick.test.js > quick', 'passed'],
      ['waits.test.js > after', 'passed'],
      ['waits.test.js > waits', 'failed'],
    ]);
    const waits = report.tests.find(({ id }) => id === 'waits.test.js > waits');
    expect(waits?.failure).toMatchObject({ type: 'TestHung', message: 'test timed out after 1000ms' });
    expect(report.integrity.missing.toSorted()).toEqual(['spins.test.js > never', 'spins.test.js > spins']);
    expect(report.problems.map(({ file, type }) => [file, type])).toContainEqual([
      'spins.test.js',
      'TestHung',
    ]);
  });

  it('honours the options of the test command: imports, only, name patterns, files', async () => {
    const files = {
      'package.json': JSON.stringify({
        type: 'module',
        scripts: { test: 'NODE_ENV=test node --import ./setup.js --test --test-only "spec/**/*.js"' },
      }),
      'setup.js': 'globalThis.ready = true;\n',
      'spec/a.js': `${header}test.only('chosen', () => assert.ok(ready && process.env.NODE_ENV === 'test'));\ntest('other', () => assert.ok(0));`,
      'b.test.js': `${header}test('elsewhere', () => assert.ok(0));`,
    };
    const scripted = await lab('node-test', files, { framework: 'node-test' });
    expect(await scripted.run()).toMatchObject({ verdict: 'passed', tests: [{ id: 'spec/a.js > chosen' }] });
    expect(scripted.project.protectedBecause('setup.js')).toBe('loaded before the tests');
    expect(scripted.project.protectedBecause('spec/a.js')).toContain('test');

    const testCommand = [
      process.execPath,
      '--test',
      '--test-name-pattern=chosen',
      'spec/a.js',
      '--import',
      './setup.js',
    ];
    const named = await lab('node-test', files, { testCommand: ['NODE_ENV=test', ...testCommand] });
    const report = await named.run();
    expect(report).toMatchObject({ verdict: 'passed', integrity: { canaries: true } });
    expect(report.tests.filter(({ status }) => status === 'passed')).toMatchObject([
      { id: 'spec/a.js > chosen' },
    ]);
  });

  it('leaves `only` without effect where the command does not ask for it, as node --test does', async () => {
    const { run } = await lab('node-test', {
      ...manifest,
      'a.test.js': `${header}test.only('one', () => {});\ntest('two', () => {});`,
    });
    expect(await run()).toMatchObject({ verdict: 'passed', summary: { total: 2 } });
  });

  it('lets an exit pass that comes when all is done, and a forced one too', async () => {
    const a = `${header}test('one', () => {});\nafter(() => { setImmediate(() => process.exit()); });\n`;
    expect((await (await lab('node-test', { ...manifest, 'a.test.js': a })).run()).verdict).toBe('passed');
    const server = `${header}import http from 'node:http';\ntest('serves', () => { http.createServer().listen(0, '127.0.0.1'); });`;
    const forced = await lab(
      'node-test',
      { ...manifest, 'a.test.js': server },
      {
        testCommand: [process.execPath, '--test', '--test-force-exit'],
      },
    );
    expect((await forced.run()).verdict).toBe('passed');
  });

  it('lets tests fork, spawn and use worker threads without any of the runner in them', async () => {
    const { run } = await lab('node-test', {
      ...manifest,
      'child.js': `process.send?.({ execArgv: process.execArgv, env: Object.keys(process.env).filter((k) => /ASSAY/.test(k)) });`,
      'a.test.js': `${header}
import { fork, spawnSync } from 'node:child_process';
import { Worker } from 'node:worker_threads';
test('forks', async () => {
  const child = fork('child.js');
  const [message] = await new Promise((done) => child.on('message', (...all) => done(all)));
  assert.deepEqual(message, { execArgv: [], env: [] });
});
test('spawns', () => {
  const script = "for fd in /proc/$$/fd/*; do case $fd in */[012]) ;; *) readlink $fd ;; esac; done; echo looked";
  const { stdout } = spawnSync('sh', ['-c', script], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  assert.match(stdout, /looked/);
  assert.doesNotMatch(stdout, /socket/);
});
test('works', async () => {
  const worker = new Worker('require("node:worker_threads").parentPort.postMessage(1)', { eval: true });
  assert.equal(await new Promise((done) => worker.on('message', done)), 1);
});
`,
    });
    const report = await run();
    expect(report.tests.map(({ status, failure }) => [status, failure?.message])).toEqual([
      ['passed', undefined],
      ['passed', undefined],
      ['passed', undefined],
    ]);
    expect(report.verdict).toBe('passed');
  });

  it('runs CommonJS, and finds installed packages without copying them', async () => {
    const { project, run } = await lab('node-test', {
      'package.json': '{ "dependencies": { "halve": "1.0.0" } }',
      'node_modules/halve/index.js': 'module.exports = (n) => n / 2;\n',
      'a.test.js':
        "const test = require('node:test');\nconst assert = require('assert');\nconst halve = require('halve');\ntest('halves', () => assert.equal(halve(4), 2));\n",
    });
    expect(await run()).toMatchObject({ verdict: 'passed', summary: { total: 1 } });
    expect(project.files).not.toContain('node_modules/halve/index.js');
    expect(project.protectedBecause('node_modules/halve/index.js')).not.toBeNull();
  });

  it('runs held-out files only when asked to', async () => {
    const held = `${header}import { total } from '../src/sums.js';\ntest('hidden', () => assert.equal(total([5, 5]), 10));`;
    const { project, expected, run } = await lab(
      'node-test',
      { ...small, 'test/hidden.test.js': held },
      { holdout: ['test/hidden.test.js'] },
    );
    expect(project.files).not.toContain('test/hidden.test.js');
    expect(expected.ids).toHaveLength(2);
    expect(await run()).toMatchObject({ verdict: 'passed', summary: { total: 2 } });
    const hidden = { source: 'given' as const, ids: ['test/hidden.test.js > hidden'], skipped: [] };
    expect(await run({}, { tests: 'held_out', expected: hidden })).toMatchObject({
      verdict: 'passed',
      tests: [{ id: 'test/hidden.test.js > hidden' }],
    });
    const fake = { 'src/sums.js': 'export const total = (n) => (n.length === 2 ? 3 : 0);\n' };
    expect((await run(fake)).verdict).toBe('passed');
    expect((await run(fake, { tests: 'held_out', expected: hidden })).verdict).toBe('failed');
  });

  it('reports whatever a test throws', async () => {
    const { run } = await lab('node-test', {
      ...manifest,
      'a.test.js': `${header}
test('nothing', () => { throw undefined; });
test('null', () => { throw null; });
test('no prototype', () => { throw Object.create(null); });
test('inspection', () => { throw Object.assign(new Error('x'), { [Symbol.for('nodejs.util.inspect.custom')]() { throw 3; } }); });
test('cycle', () => { const error = new Error('x'); error.cause = error; error.self = error; throw error; });
test('huge', () => { throw new Error('y'.repeat(5_000_000)); });
test('deep', () => { const f = () => f(); f(); });
test('promise', () => Promise.reject());
test('no text', () => { throw { toString() { throw 1; } }; });
`,
    });
    const report = await run();
    expect(report.integrity).toMatchObject({ completed: true, canaries: true, irregularities: [] });
    expect(report.problems).toEqual([]);
    expect(report.tests.map(({ status }) => status)).toEqual(Array(9).fill('failed'));
    expect(report.tests[5]?.failure?.message).toMatch(/characters left out/);
    expect(report.tests[6]?.failure?.type).toBe('RangeError');
  });

  it.each([
    ['a promise that never settles', 'await new Promise(() => {});'],
    [
      'a rejection nobody handles',
      "Promise.reject(new Error('nobody'));\nawait new Promise((r) => setTimeout(r, 20));",
    ],
    ['an import that does not exist', "import './absent.js';"],
    ['an abort', 'process.abort();'],
  ])('says which file could not be loaded: %s', async (_what, code) => {
    const { run } = await lab('node-test', {
      ...manifest,
      'a.test.js': `${header}${code}\ntest('x', () => {});`,
    });
    const report = await run();
    expect(['failed', 'error']).toContain(report.verdict);
    expect(report.problems).toMatchObject([{ file: 'a.test.js' }]);
    expect(report.problems[0]?.message).not.toBe('');
  });

  it('refuses code that would have to share a process with the results', async () => {
    const testCommand = [process.execPath, '--test', '--test-global-setup=./global.js'];
    const refusal = lab('node-test', { ...small, 'global.js': '' }, { testCommand });
    await expect(refusal).rejects.toMatchObject({
      code: 'environment',
      fix: expect.stringContaining('--setup'),
    });
  });
});
