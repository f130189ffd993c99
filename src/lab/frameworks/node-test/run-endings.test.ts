import { describe, expect, it } from 'vitest';
import { labFixture } from '../../lab.fixture.ts';
import { header, manifest, small, sum } from './suites.fixture.ts';

const { lab } = labFixture();

describe('a file of node:test that does not end as it should, or not alone', () => {
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
});
