import { describe, expect, it } from 'vitest';
import { reportSchema } from '../../../core/index.ts';
import { labFixture, statusOf } from '../../lab.fixture.ts';
import { header, manifest, small } from './suites.fixture.ts';

const { lab, open, write } = labFixture();

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

  it('refuses code that would have to share a process with the results', async () => {
    const testCommand = [process.execPath, '--test', '--test-global-setup=./global.js'];
    const refusal = lab('node-test', { ...small, 'global.js': '' }, { testCommand });
    await expect(refusal).rejects.toMatchObject({
      code: 'environment',
      fix: expect.stringContaining('--setup'),
    });
  });
});
