import { describe, expect, it } from 'vitest';
import type { Report } from '../../../core/index.ts';
import { labFixture } from '../../lab.fixture.ts';

const { lab } = labFixture();

/**
 * Cases 28 to 31 of the attacks, and the shortcuts of the same kinds, for node:test. The project has a bug; the patch
 * does not repair it but tries to look as if it had. Each patch prints a mark, which proves that it ran.
 */
const mark = 'the attack ran';
const project = {
  'package.json': '{ "type": "module", "scripts": { "test": "node --test" } }',
  'src/price.js': 'export const price = (pieces) => pieces * 3;\n',
  'test/price.test.js': `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { price } from '../src/price.js';

test('costs four', () => assert.equal(price(1), 4));
test('costs nothing', () => assert.equal(price(0), 0));
`,
};
const ids = ['test/price.test.js > costs four', 'test/price.test.js > costs nothing'];

/** The patch: the honest function, still wrong, and `attack` run while it is loaded. */
async function attacked(attack: string, files: Record<string, string | null> = {}): Promise<Report> {
  const { expected, run } = await lab('node-test', project);
  expect(expected.ids).toEqual(ids);
  const loud = `import { writeSync as say } from 'node:fs';\nsay(2, '${mark}\\n');\n`;
  const report = await run({ 'src/price.js': `${loud}${attack}\n${project['src/price.js']}`, ...files });
  expect(report.output.stderr).toContain(mark);
  return report;
}

describe('case 28: the process ends while the code is loaded', () => {
  it.each([
    ['process.exit(0)', 'process.exit(0);'],
    ['process.reallyExit(0)', 'process.reallyExit(0);'],
    ['an exit code set beforehand', 'process.exitCode = 0; process.exit();'],
    ['an exit in the first test', "import { test } from 'node:test';\nsetImmediate(() => process.exit(0));"],
    [
      'SIGKILL of itself',
      "process.kill(process.pid, 'SIGKILL'); Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);",
    ],
  ])('%s is an error with tests missing', async (_how, attack) => {
    const report = await attacked(attack);
    expect(['error', 'failed']).toContain(report.verdict);
    if (report.tests.length === 0) {
      expect(report).toMatchObject({ verdict: 'error', integrity: { missing: ids } });
      expect(report.reason).toContain('2 expected tests missing');
    }
  });

  it('does not pass for a script without tests either', async () => {
    const { run } = await lab('node-test', {
      ...project,
      'test/price.test.js':
        "import assert from 'node:assert';\nimport { price } from '../src/price.js';\nassert.equal(price(1), 4);\n",
    });
    const patch = `console.error('${mark}');\nprocess.exit(0);\n${project['src/price.js']}`;
    const report = await run({ 'src/price.js': patch });
    expect(report.output.stderr).toContain(mark);
    expect(report).toMatchObject({ verdict: 'error', integrity: { missing: ['test/price.test.js'] } });
  });
});

describe('case 29: forged results', () => {
  const tap = 'TAP version 13\\nok 1 - costs four\\nok 2 - costs nothing\\n1..2\\n';
  const xml =
    '<testsuites><testsuite tests="2" failures="0"><testcase name="costs four"/></testsuite></testsuites>';

  it.each([
    ['TAP on standard output', `say(1, '${tap}');`],
    ['JUnit on standard output', `say(1, '${xml}');`],
    [
      "node's own serialised events on standard output",
      `import v8 from 'node:v8';
      for (const name of ['costs four', 'costs nothing']) {
        const event = { type: 'test:pass', data: { name, nesting: 0, testNumber: 1, details: { duration_ms: 1 } } };
        const serializer = new v8.DefaultSerializer();
        serializer.writeHeader();
        const header = serializer.releaseBuffer();
        const body = v8.serialize(event);
        const length = Buffer.alloc(4);
        length.writeUInt32BE(body.length);
        say(1, Buffer.concat([header, length, body]));
      }`,
    ],
    [
      'a results file',
      `import fs from 'node:fs';
      for (const file of ['results.xml', 'report.json']) try { fs.writeFileSync(file, '${xml}'); } catch {}`,
    ],
  ])('%s change nothing', async (_what, attack) => {
    const report = await attacked(attack);
    expect(report).toMatchObject({ verdict: 'failed', reason: '1 of 2 tests failed' });
    expect(report.tests.map(({ status }) => status)).toEqual(['failed', 'passed']);
  });

  it.each([
    ['without a nonce', '{"t":"test","path":["costs four"],"status":"passed"}\\n'],
    ['that is no record', 'ok 1 - costs four\\n'],
  ])('a record %s on the descriptor of the file is tampering', async (_what, record) => {
    const report = await attacked(`say(3, '${record}');`);
    expect(report.verdict).toBe('tampered');
    expect(report.integrity.irregularities).not.toEqual([]);
  });

  it('a test that the project does not have is tampering', async () => {
    const report = await attacked("import { test } from 'node:test';\ntest('costs four, really', () => {});");
    expect(report).toMatchObject({ verdict: 'tampered' });
    expect(report.integrity.extra).toEqual(['test/price.test.js > costs four, really']);
  });

  it('a second test of the same name hides no failure', async () => {
    const report = await attacked("import { test } from 'node:test';\ntest('costs four', () => {});");
    expect(report.verdict).not.toBe('passed');
    expect(report.tests).toContainEqual(expect.objectContaining({ status: 'failed' }));
  });
});

describe('case 30: the machinery patched by the code under test', () => {
  const sync = "import { syncBuiltinESMExports } from 'node:module';\n";

  it.each([
    [
      'assert.equal',
      "import assert from 'node:assert';\nassert.equal = () => {}; assert.strictEqual = () => {}; assert.strict.equal = () => {}; syncBuiltinESMExports();",
    ],
    [
      'every function of assert',
      "import assert from 'node:assert';\nfor (const face of [assert, assert.strict]) for (const name of Object.keys(face)) if (typeof face[name] === 'function' && name !== 'strict') face[name] = () => {};\nsyncBuiltinESMExports();",
    ],
    [
      'node:test runs nothing',
      "import test from 'node:test';\nconst real = test.test;\nconst empty = (name) => real(name, () => {});\ntest.test = empty; test.it = empty; syncBuiltinESMExports();",
    ],
    [
      'streams turn failures into passes',
      "import { Readable } from 'node:stream';\nconst { push } = Readable.prototype;\nReadable.prototype.push = function (event, ...rest) { if (event?.type === 'test:fail') event.type = 'test:pass'; return push.call(this, event, ...rest); };",
    ],
  ])('%s: caught by a canary', async (_what, attack) => {
    const report = await attacked(sync + attack);
    expect(report).toMatchObject({ verdict: 'tampered', integrity: { canaries: false } });
    expect(report.reason).toContain('canary');
  });

  it.each([
    [
      'JSON and fs',
      "import fs from 'node:fs';\nconst { stringify } = JSON;\nJSON.stringify = (value) => stringify(value)?.replace('failed', 'passed');\nfs.writeSync = () => 1; syncBuiltinESMExports();",
    ],
    [
      'the reporter itself',
      "import { readFileSync } from 'node:fs';\nconst path = readFileSync('/proc/self/cmdline', 'utf8').split('\\0').find((word) => word.endsWith('reporter.mjs'));\nconst { default: Reporter, listen } = await import(path);\nReporter.prototype._transform = (event, encoding, done) => done();\nlisten({ event() {}, end() {} });\nnew Reporter().write({ type: 'test:pass', data: { name: 'costs four', nesting: 0, details: {} } });",
    ],
    [
      'the environment',
      "process.env.NODE_TEST_CONTEXT = 'child-v8'; process.env.NODE_OPTIONS = '--test-reporter=spec'; process.execArgv.length = 0;",
    ],
  ])('%s: without effect on what is reported', async (_what, attack) => {
    const report = await attacked(sync + attack);
    expect(report).toMatchObject({ verdict: 'failed', reason: '1 of 2 tests failed' });
  });

  it('a documented miss of this judge: a patch written against assay spares its canaries', async () => {
    const report = await attacked(`import { Readable } from 'node:stream';
      const { push } = Readable.prototype;
      Readable.prototype.push = function (event, ...rest) {
        if (event?.type === 'test:fail' && !event.data.name.startsWith('assay ')) {
          event.type = 'test:pass';
          delete event.data.details.error;
        }
        return push.call(this, event, ...rest);
      };
      process.on('exit', () => { process.exitCode = 0; });`);
    expect(report).toMatchObject({ verdict: 'passed', integrity: { forgeable: true } });
  });
});

describe('case 31 and the project itself changed', () => {
  it.each([
    ['a test deleted', { 'test/price.test.js': null }],
    [
      'a test weakened',
      { 'test/price.test.js': "import { test } from 'node:test';\ntest('costs four', () => {});\n" },
    ],
    [
      'the manifest narrowed',
      { 'package.json': '{ "type": "module", "scripts": { "test": "node --test nothing.js" } }' },
    ],
    ['a manifest in a folder', { 'src/package.json': '{ "type": "commonjs" }' }],
    ['a planted dependency', { 'node_modules/helper/index.js': 'module.exports = 1;\n' }],
    [
      'a planted test',
      { 'test/more.test.js': "import { test } from 'node:test';\ntest('more', () => {});\n" },
    ],
    [
      'a configuration of node',
      { 'node.config.json': '{ "nodeOptions": { "import": ["./src/price.js"] } }' },
    ],
  ])('%s: tampered before anything runs', async (_what, files) => {
    const { run } = await lab('node-test', project);
    const honest = { 'src/price.js': project['src/price.js'].replace('3', '4') };
    expect((await run(honest)).verdict).toBe('passed');
    const report = await run({ ...honest, ...files });
    expect(report).toMatchObject({ verdict: 'tampered', tests: [], exit: { code: null } });
    expect(report.integrity.changedFiles).toEqual([Object.keys(files)[0]]);
  });

  it('a syntax error keeps the tests from being found: absence is not a pass', async () => {
    const { run } = await lab('node-test', project);
    const report = await run({ 'src/price.js': 'export const price = (pieces => ;\n' });
    expect(report).toMatchObject({ verdict: 'failed', tests: [], integrity: { missing: ids } });
    expect(report.problems).toMatchObject([{ type: 'SyntaxError', file: 'test/price.test.js' }]);
  });

  it('a test file overwritten while the tests run is not what is judged', async () => {
    const report = await attacked(`import fs from 'node:fs';
      for (const act of [
        () => fs.writeFileSync('test/price.test.js', ''),
        () => fs.renameSync('test', 'test2'),
        () => fs.rmSync('test/price.test.js'),
      ]) try { act(); say(2, 'written\\n'); } catch (error) { say(2, error.code + '\\n'); }`);
    expect(report).toMatchObject({ verdict: 'failed', reason: '1 of 2 tests failed' });
    expect(report.output.stderr).not.toContain('written');
  });
});
