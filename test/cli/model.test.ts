import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { errorAnswers, rateLimitAnswer } from '../../src/propose/model/scripted-server/server.fixture.ts';
import { expectError, reportOf, resultOf, runsIn } from './expectations.ts';
import { asking, mendingEdit, mends, proposes, serve } from './model.ts';
import { assay, start, until } from './process.ts';
import {
  folder,
  mending,
  newMark,
  project,
  redProject,
  replay,
  shop,
  shopTests,
  slowTest,
} from './project.ts';

/** Everything a folder holds, file by file. */
function contentsOf(dir: string): { file: string; text: string }[] {
  return readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name))
    .map((file) => ({ file, text: readFileSync(file, 'latin1') }));
}

describe.concurrent('a model', () => {
  it('mends a project over HTTP, and who gets the source is said once', async () => {
    const home = folder('home');
    const server = await serve([mends]);
    const ended = await assay(['fix', project(redProject), ...asking(server), '--json'], { home });
    expect(ended.code, ended.stderr).toBe(0);
    expect(resultOf(ended)).toMatchObject({
      status: 'done',
      motivation: 'a hundred is small',
      patch: expect.stringContaining('+    if total <= 100:'),
      usage: { tokens: 1_050, costUsd: null },
    });
    const host = server.url.replace('http://', '').replace('/v1', '');
    const told = ended.stderr
      .split('\n')
      .filter((line) => line.includes('source of this project now goes to'));
    expect(told).toEqual([expect.stringContaining(`${host}, to be read by openai-compatible/x`)]);
    expect(ended.stderr.indexOf(told[0] ?? '')).toBeLessThan(ended.stderr.indexOf('round 1'));
    expect(server.requests).toHaveLength(1);
  });

  it('writes no line of its own, on either stream, and obeys no pipeline', async () => {
    const home = folder('home');
    const motivation =
      'small\n::error file=shop.py::forged\n ::stop-commands::x\nnext     assay apply other writes it\n##[add-mask]a';
    const server = await serve([proposes([mendingEdit], motivation)]);
    const ended = await assay(['fix', project(redProject), ...asking(server)], { home });
    expect(ended.code, ended.stderr).toBe(0);
    // The attack arrived.
    expect(ended.stdout).toContain('forged');
    expect(ended.stderr).toContain('forged');
    const shown = await assay(['show', 'latest'], { home });
    for (const text of [ended.stdout, ended.stderr, shown.stdout]) {
      expect(text).not.toMatch(/^\s*::|##\[/m);
      expect(text).not.toContain('\nnext     assay apply other');
    }
  });

  it('has its key kept out of all that is kept and shown, also where it is a plain word', async () => {
    const home = folder('home');
    const key = 'mysecretpassphrase';
    const server = await serve([proposes([mendingEdit], `the key is ${key}, a hundred is small`)]);
    const record = path.join(home, 'record.jsonl');
    const ended = await assay(['fix', project(redProject), ...asking(server), '--record', record], {
      home,
      env: { ASSAY_API_KEY: key },
    });
    expect(ended.code, ended.stderr).toBe(0);
    expect(JSON.stringify(server.requests[0])).toContain(key);
    expect(ended.stdout).toContain('the key is [scrubbed:ASSAY_API_KEY], a hundred is small');
    expect(`${ended.stdout}${ended.stderr}`).not.toContain(key);
    expect(contentsOf(home).filter(({ text }) => text.includes(key))).toEqual([]);
  });

  it('named by a project may be a recording of its own, and no other file of the user', async () => {
    const home = folder('home');
    writeFileSync(path.join(home, 'private.txt'), 'root:only-for-me\n');
    for (const file of [path.join(home, 'private.txt'), '../escape.txt', 'linked.txt']) {
      const dir = project({
        ...redProject,
        'assay.config.json': JSON.stringify({ model: `replay:${file}` }),
      });
      symlinkSync(path.join(home, 'private.txt'), path.join(dir, 'linked.txt'));
      const ended = await assay(['fix', dir, '--json'], { home });
      expectError(ended, 2);
      expect(`${ended.stdout}${ended.stderr}`).not.toContain('only-for-me');
      expect(ended.stderr).toContain('inside its own folder');
    }
    const own = project({ ...redProject, 'assay.config.json': '{"model": "replay:said.json"}' });
    writeFileSync(path.join(own, 'said.json'), readFileSync(replay([mending]).slice('replay:'.length)));
    expect((await assay(['fix', own, '--json'], { home })).code).toBe(0);
    const given = await assay(['fix', own, '--model', `replay:${path.join(home, 'private.txt')}`], { home });
    expect(`${given.stdout}${given.stderr}`).not.toContain('only-for-me');
    expect(given.code).toBe(1);
  });

  it.each([
    [
      'silent',
      { hang: 'before_headers' } as const,
      /x was silent for \d+\.\d s, and what is left of the time limit is for the tests/,
    ],
    [
      'rate-limited',
      rateLimitAnswer('2'),
      /x was rate-limited, and what is left of the time limit is for the tests/,
    ],
  ])('that is %s until the time is over is said to be the reason', async (_, answer, reason) => {
    const home = folder('home');
    const server = await serve(Array.from({ length: 20 }, () => answer));
    const args = ['fix', project(redProject), ...asking(server), '--timeout', '8', '--json'];
    const ended = await assay(args, { home });
    expect(server.requests.length).toBeGreaterThan(0);
    expect(resultOf(ended)).toMatchObject({
      status: 'budget_exhausted',
      reason: expect.stringMatching(reason),
      fix: 'run it again when the model answers in time, or with more, e.g. --timeout 16',
    });
    expect(ended.code).toBe(4);
  });

  it('shows tokens and cost to a person, and an unknown cost as unknown', async () => {
    const home = folder('home');
    const server = await serve([mends]);
    const dir = project(redProject);
    const unknown = await assay(['fix', dir, ...asking(server)], { home });
    expect(unknown.stdout).toMatch(/^spent .*1,050 tokens, cost unknown$/m);
    const known = await assay(['fix', dir, ...asking(server), '--price', '100,1000', '--max-cost', '50'], {
      home,
    });
    expect(known.code, known.stderr).toBe(0);
    expect(known.stdout).toMatch(/^spent .*1,050 tokens, \$0\.1500$/m);
    expect(known.stderr).toContain('at $100 for a million tokens in and $1000 out');
  });

  it('has its base URL from the environment too', async () => {
    const server = await serve([mends]);
    const home = folder('home');
    const args = ['fix', project(redProject), '--model', 'openai-compatible/x', '--json'];
    const ended = await assay(args, { home, env: { ASSAY_BASE_URL: server.url } });
    expect(ended.code, ended.stderr).toBe(0);
  });

  it('of no known price is refused where the cost has a limit, before anything is made or sent', async () => {
    const [home, server] = [folder('home'), await serve([mends])];
    const args = [
      'fix',
      project(redProject),
      ...asking(server),
      '--max-cost',
      '1',
      '--record',
      'x.jsonl',
      '--json',
    ];
    const error = expectError(await assay(args, { home }), 2);
    expect(error.message).toContain('what openai-compatible/x costs is not known');
    expect(error.fix).toMatch(/--price IN,OUT .*prices in your own configuration/);
    expect(runsIn(home)).toEqual([]);
    expect(readdirSync(home)).toEqual([]);
    expect(server.requests).toEqual([]);
  });

  it('that is none does not mind a limit of the cost', async () => {
    const home = folder('home');
    const args = ['fix', project(redProject), '--model', replay([mending]), '--max-cost', '0.01', '--json'];
    const ended = await assay(args, { home });
    expect(ended.code, ended.stderr).toBe(0);
    expect(resultOf(ended).usage.costUsd).toBe(0);
  });

  it('that costs more than its limit is not asked', async () => {
    const [home, server] = [folder('home'), await serve([mends])];
    const args = [
      'fix',
      project(redProject),
      ...asking(server),
      '--price',
      '1000,1000',
      '--max-cost',
      '0.01',
      '--json',
    ];
    const ended = await assay(args, { home });
    expect(ended.code, ended.stderr).toBe(4);
    expect(resultOf(ended)).toMatchObject({
      status: 'budget_exhausted',
      reason: expect.stringMatching(
        /^the cost limit leaves no room .* it takes up to \$\d+\.\d+ \([\d,]+ tokens, 16,000 of them/,
      ),
      fix: expect.stringMatching(/^run it again with more, e\.g\. --max-cost \d+$/),
    });
    expect(server.requests).toEqual([]);
  });
});

describe.concurrent('a model that is no help ends as unpatchable, and nothing is written', () => {
  const whole = shop.replace('total < 100', 'total <= 100');
  it.each([
    ['prose', [{ text: 'You should compare with <= instead.' }], /./],
    ['nothing', [{ text: '' }], /./],
    ['whole files', [proposes([{ op: 'create', path: 'shop.py', content: whole }])], /shop\.py/],
    [
      'patches to tests',
      [
        proposes([
          {
            op: 'replace',
            path: 'tests/test_shop.py',
            search: "tier(100), 'small'",
            replace: "tier(100), 'large'",
          },
        ]),
      ],
      /tests\/test_shop\.py.*a test/,
    ],
    [
      'paths outside',
      [proposes([{ op: 'create', path: '../../outside.py', content: 'x = 1\n' }])],
      /outside\.py/,
    ],
    [
      'a patch to its own limits',
      [proposes([{ op: 'create', path: 'assay.config.json', content: '{"rounds": 99}\n' }])],
      /assay\.config\.json.*configuration of assay/,
    ],
  ])('%s', async (_, script, why) => {
    const home = folder('home');
    const dir = project(redProject);
    const ended = await assay(['fix', dir, ...asking(await serve(script)), '--json', '--write'], { home });
    expect(ended.code, ended.stderr).toBe(5);
    const result = resultOf(ended);
    expect(result).toMatchObject({ status: 'unpatchable', patch: null, rounds: 0 });
    expect(result.reason).toMatch(why);
    expect(readdirSync(dir).toSorted()).toEqual(['shop.py', 'tests']);
    expect(readFileSync(path.join(dir, 'shop.py'), 'utf8')).toBe(shop);
    expect(readFileSync(path.join(dir, 'tests/test_shop.py'), 'utf8')).toBe(shopTests);
  });
});

describe.concurrent('a model that cannot be had leaves a run that goes on later', () => {
  /** Says what is wrong, ends with 7, and is done once the server has mended. */
  async function expectGoesOn(options: {
    bad: Parameters<typeof serve>[0];
    why: RegExp;
    fix?: RegExp;
  }): Promise<void> {
    const home = folder('home');
    let mended = false;
    const { bad, why, fix = /\S/ } = options;
    const server = await serve((request, count) => {
      if (mended) return mends;
      const answer = typeof bad === 'function' ? bad(request, count) : (bad[count] ?? bad.at(-1));
      if (answer === undefined) throw new Error('no answer');
      return answer;
    });
    const ended = await assay(['fix', project(redProject), ...asking(server), '--json'], { home });
    expect(ended.code, ended.stderr).toBe(7);
    const result = resultOf(ended);
    expect(result).toMatchObject({
      status: 'environment_error',
      patch: null,
      fix: expect.stringMatching(fix),
    });
    expect(result.reason).toMatch(why);
    expect(result.reason).toContain(`assay resume ${result.run} asks the same model again`);
    expect(ended.stderr).toContain('waiting for a model: ');
    mended = true;
    const resumed = await assay(['resume', result.run, '--json'], { home });
    expect(resumed.code, resumed.stderr).toBe(0);
    expect(resultOf(resumed)).toMatchObject({ status: 'done', run: result.run });
  }

  it('a wrong key', () => expectGoesOn({ bad: [errorAnswers.wrongKey], why: /key/i }));
  it('an unknown model', () =>
    expectGoesOn({
      bad: [errorAnswers.unknownModel],
      why: /unknown_model|does not exist/,
      fix: /^Start a new run with a name that the server at \S+ knows, --model \(a run keeps its own\)/,
    }));
  it('a server that answers in no known way', () =>
    expectGoesOn({
      bad: [{ status: 200, body: '<html>hello</html>', headers: { 'content-type': 'text/html' } }],
      why: /./,
    }));
  it('a network that goes each time in mid-stream', async () => {
    await expectGoesOn({
      bad: [{ ...mends, stopAfter: { events: 3, how: 'cut' } }],
      why: /given up after \d+ tries/,
    });
  }, 120_000);
});

describe.concurrent('a model of another temper', () => {
  it('whose network goes once in mid-stream is asked again, and the lost part is paid for', async () => {
    const [home, server] = [
      folder('home'),
      await serve([{ ...mends, stopAfter: { events: 3, how: 'cut' } }, mends]),
    ];
    const ended = await assay(['fix', project(redProject), ...asking(server), '--json'], { home });
    expect(ended.code, ended.stderr).toBe(0);
    expect(ended.stderr).toMatch(/openai-compatible\/x again in \d+ s: \S/);
    expect(server.requests).toHaveLength(2);
    expect(resultOf(ended).usage.tokens).toBeGreaterThan(1_050);
  });

  it('with too small a context ends at once, with what to do', async () => {
    const [home, server] = [folder('home'), await serve([mends])];
    const args = ['fix', project(redProject), ...asking(server), '--context-tokens', '300', '--json'];
    const ended = await assay(args, { home });
    expect(ended.code, ended.stderr).toBe(7);
    expect(resultOf(ended)).toMatchObject({
      reason: expect.stringMatching(/context of openai-compatible\/x is too small/),
      fix: expect.stringContaining('larger context'),
    });
    expect(server.requests).toEqual([]);
  });

  it('that fails at tools is asked in text, at once with --patch-transport text', async () => {
    const block = [
      'shop.py',
      '<<<<<<< SEARCH',
      '    if total < 100:',
      '=======',
      '    if total <= 100:',
      '>>>>>>> REPLACE',
    ];
    const text = `A hundred is small.\n\n\`\`\`\n${block.join('\n')}\n\`\`\`\n`;
    const [home, server] = [folder('home'), await serve([{ text, usage: { input: 10, output: 10 } }])];
    const args = ['fix', project(redProject), ...asking(server), '--patch-transport', 'text', '--json'];
    const ended = await assay(args, { home });
    expect(ended.code, ended.stderr).toBe(0);
    expect(JSON.stringify(server.requests[0]?.body)).not.toContain('"propose_patch"');
  });

  it('takes over from the search, which costs nothing', async () => {
    const home = folder('home');
    const dir = project({
      ...redProject,
      'shop.py': 'def tier(total):\n    raise NotImplementedError(total)\n',
    });
    const edit = { ...mendingEdit, search: 'raise NotImplementedError(total)', replace: "return 'small'" };
    const { url } = await serve([proposes([edit])]);
    const chain = ['--model', 'search,openai-compatible/x', '--base-url', url, '--max-candidates', '20'];
    const ended = await assay(['fix', dir, ...chain, '--json'], { home });
    expect(ended.code, ended.stderr).toBe(0);
    expect(resultOf(ended)).toMatchObject({ status: 'done', usage: { tokens: 1_050 } });
    expect(ended.stderr).toMatch(/now openai-compatible\/x \(2 of 2\)/);
    expect(ended.stderr.indexOf('now openai-compatible/x')).toBeLessThan(
      ended.stderr.indexOf('source of this project'),
    );
  });

  it('that says nothing can be stopped with Ctrl-C, and asked again later', async () => {
    const home = folder('home');
    const server = await serve([{ hang: 'before_headers' }, mends]);
    const running = start(['fix', project(redProject), ...asking(server), '--json'], { home });
    await until('the model is asked', () => server.requests.length === 1);
    running.child.kill('SIGINT');
    const ended = await running.ended;
    expect(ended.code, ended.stderr).toBe(130);
    expect(resultOf(ended)).toMatchObject({
      status: 'aborted',
      reason: expect.stringContaining('assay resume'),
    });
    const resumed = await assay(['resume', 'latest', '--json'], { home });
    expect(resumed.code, resumed.stderr).toBe(0);
    expect(resultOf(resumed)).toMatchObject({ status: 'done', rounds: 1 });
  });

  it('is recorded, and replayed without a key or a server', async () => {
    const home = folder('home');
    const dir = project(redProject);
    const env = { OPENAI_API_KEY: 'sk-planted-0123456789abcdef' };
    const server = await serve([proposes([{ ...mendingEdit, search: 'total < 1000' }]), mends]);
    const args = ['fix', dir, '--model', 'openai/gpt-4o', '--base-url', server.url, '--json'];
    const recorded = await assay([...args, '--record', 'said.jsonl'], { home, env });
    expect(recorded.code, recorded.stderr).toBe(0);
    const replayed = await assay(['fix', dir, '--model', 'replay:said.jsonl', '--json'], { home });
    expect(replayed.code, replayed.stderr).toBe(0);
    const [first, second] = [resultOf(recorded), resultOf(replayed)];
    expect(second).toMatchObject({ status: 'done', patch: first.patch, rounds: first.rounds });
    expect(second.usage.tokens).toBe(first.usage.tokens);
    expect(server.requests).toHaveLength(2);
    expect(replayed.stderr).not.toContain('source of this project');
    expect(readFileSync(path.join(home, 'said.jsonl'), 'utf8')).not.toContain('sk-planted');
  });
});

describe.concurrent('a recording of a model', () => {
  it('goes on where it was when the run is resumed', async () => {
    const home = folder('home');
    const dir = project({ ...redProject, 'tests/test_slow.py': slowTest(newMark(), 0.7) });
    const worse = { ...mendingEdit, replace: 'total < 50' };
    const server = await serve([proposes([worse], 'fifty'), mends]);
    const recorded = await assay(['fix', dir, ...asking(server), '--json', '--record', 'said.jsonl'], {
      home,
    });
    expect(recorded.code, recorded.stderr).toBe(0);
    const whole = resultOf(recorded);
    const running = start(['fix', dir, '--model', 'replay:said.jsonl', '--json'], { home });
    await until('the first patch is tested', () => running.stderr().includes('round 1: tests:'));
    running.child.kill('SIGKILL');
    await running.ended;
    const resumed = await assay(['resume', 'latest', '--json'], { home });
    expect(resumed.code, resumed.stderr).toBe(recorded.code);
    // What it spent is no less: the call that was cut counts at its most.
    expect(whole).toMatchObject({ status: 'done', rounds: 2 });
    const { status, patch, rounds } = whole;
    expect(resultOf(resumed)).toMatchObject({ status, patch, rounds });
  });
});

describe.concurrent('a recording that is played again', () => {
  async function recordOne() {
    const home = folder('home');
    const args = [
      'fix',
      project(redProject),
      ...asking(await serve([mends])),
      '--record',
      'said.jsonl',
      '--json',
    ];
    const ended = await assay(args, { home });
    expect(ended.code, ended.stderr).toBe(0);
    return home;
  }

  it('costs nothing where no price is known, so that a limit of the cost is no matter', async () => {
    const home = await recordOne();
    const args = ['fix', project(redProject), '--model', 'replay:said.jsonl', '--max-cost', '0.01', '--json'];
    const ended = await assay(args, { home });
    expect(ended.code, ended.stderr).toBe(0);
    // The folder is another one: nothing that matters differs.
    expect(resultOf(ended)).toMatchObject({ status: 'done', usage: { costUsd: 0 }, warnings: [] });
  });

  it('on another project is warned of, and has no more to say at its end', async () => {
    const home = await recordOne();
    const other = { ...redProject, 'shop.py': shop.replace('100', '99') };
    const ended = await assay(['fix', project(other), '--model', 'replay:said.jsonl', '--json'], { home });
    expect(ended.stderr).toContain('not applied');
    const result = resultOf(ended);
    expect(result).toMatchObject({
      status: 'stuck',
      reason: 'the recording of openai-compatible/x has no more replies: the one it has was used',
    });
    expect(result.warnings).toEqual([
      expect.stringMatching(/^reply 1 of the recording was given in its order/),
    ]);
    expect(ended.stderr).toContain('next: record anew');
    expect(ended.code).toBe(3);
  });
});

describe.concurrent('the key of a model', () => {
  const key = 'sk-planted-9f8e7d6c5b4a3f2e1d0c';
  const spying = `import os
import unittest
from shop import tier


class Spy(unittest.TestCase):
    def test_hundred(self):
        print('environment:', dict(os.environ))
        try:
            print('parent:', open('/proc/1/environ', 'rb').read())
        except OSError as error:
            print('parent:', error)
        self.assertEqual(tier(100), 'small')
`;

  it('goes to the provider and nowhere else', async () => {
    const home = folder('home');
    const dir = project({ ...redProject, 'tests/test_spy.py': spying });
    const echo = {
      status: 401,
      body: JSON.stringify({
        error: { message: `Incorrect API key provided: ${key}`, code: 'invalid_api_key' },
      }),
      headers: { 'content-type': 'application/json' },
    };
    let mended = false;
    const server = await serve(() => (mended ? mends : echo));
    const env = { OPENAI_COMPATIBLE_API_KEY: key, OPENAI_API_KEY: key, ANTHROPIC_API_KEY: key };
    const wrong = await assay(['fix', dir, ...asking(server), '--events'], { home, env });
    expect(wrong.code, wrong.stderr).toBe(7);
    const [run = ''] = runsIn(home);
    mended = true;
    const done = await assay(['resume', run, '--events'], { home, env });
    expect(done.code, done.stderr).toBe(0);
    // It was really used, and the code really looked for it.
    expect(server.requests.map(({ headers }) => headers.authorization)).toContain(`Bearer ${key}`);
    const kept = contentsOf(home);
    expect(kept.some(({ text }) => text.includes('environment:'))).toBe(true);
    for (const { file, text } of kept) expect(text.includes(key), file).toBe(false);
    for (const said of [wrong, done]) expect(said.stdout + said.stderr).not.toContain(key);
    expect(JSON.stringify(server.requests.map(({ body }) => body))).not.toContain(key);
  });

  it('is not read from the run folder: a resume needs it again', async () => {
    const home = folder('home');
    const server = await serve([errorAnswers.wrongKey]);
    const args = ['fix', project(redProject), '--model', 'openai/gpt-4o', '--base-url', server.url, '--json'];
    const ended = await assay(args, { home, env: { OPENAI_API_KEY: key } });
    expect(ended.code, ended.stderr).toBe(7);
    const error = expectError(await assay(['resume', 'latest', '--json'], { home }), 2);
    expect(error.message).toContain('OPENAI_API_KEY is not set');
  });

  it('alone makes the next step known, at no cost', async () => {
    const home = folder('home');
    // A language that the search does not speak.
    const dir = project({
      'sum.mjs': 'export const sum = (a, b) => a - b;\n',
      'sum.test.mjs':
        "import assert from 'node:assert';\nimport test from 'node:test';\nimport { sum } from './sum.mjs';\n\ntest('sum', () => assert.equal(sum(1, 2), 3));\n",
    });
    const ended = await assay(['fix', dir], { home, env: { ANTHROPIC_API_KEY: key } });
    expect(ended.code, ended.stderr).toBe(3);
    expect(ended.stdout).toMatch(/^next .*Python only: --model anthropic\/\S+ lets a model repair it: .*\$/m);
  });
});

describe.concurrent('a configuration', () => {
  it('of the project and of the user says what is asked and where', async () => {
    const [home, server] = [folder('home'), await serve([mends])];
    const config = { model: 'openai-compatible/x', rounds: 2 };
    const dir = project({ ...redProject, 'assay.config.ts': `export default ${JSON.stringify(config)};\n` });
    const own = path.join(folder('config'), 'assay', 'config.json');
    mkdirSync(path.dirname(own));
    writeFileSync(own, JSON.stringify({ baseUrl: server.url }));
    const env = { XDG_CONFIG_HOME: path.dirname(path.dirname(own)) };
    const ended = await assay(['fix', dir, '--json'], { home, env });
    expect(ended.code, ended.stderr).toBe(0);
    expect(server.requests).toHaveLength(1);
    const args = ['fix', dir, '--model', replay([mending]), '--json'];
    const replayed = await assay(args, { home, env });
    expect(replayed.code, replayed.stderr).toBe(0);
    expect(server.requests).toHaveLength(1);
  });

  it('that names a model is told, and may be gone without', async () => {
    const home = folder('home');
    const config = '{"model": "openai/gpt-4o", "maxCost": 1}';
    const dir = project({ ...redProject, 'assay.config.json': config });
    const ended = await assay(['fix', dir, '--json'], { home });
    const error = expectError({ ...ended, stderr: ended.stderr.replace(/^model .*\n/, '') }, 2);
    expect(ended.stderr).toMatch(/^model openai\/gpt-4o, as the configuration of the project says$/m);
    expect(error).toMatchObject({
      message: expect.stringContaining('OPENAI_API_KEY is not set'),
      because: expect.stringContaining('the configuration says model openai/gpt-4o'),
      fix: expect.stringContaining('or go without: --model search'),
    });
  });

  it('says how the lab runs the tests too', async () => {
    const home = folder('home');
    const config = '{"test": "python3 -m unittest tests.test_shop.Tier.test_small", "rounds": 1}';
    const dir = project({ ...redProject, 'assay.config.json': config });
    expect(reportOf(await assay(['lab', dir, '--json'], { home }), 0).summary.total).toBe(1);
  });

  it.each([
    ['{"baseUrl": "http://evil.example"}', /may not set baseUrl/],
    ['{"write": true}', /may not set write/],
    ['{"strict": false}', /may not set strict/],
    ['{"rounds": "many"}', /is no configuration of assay/],
  ])('of the project that is %s is refused before a run is made', async (text, message) => {
    const home = folder('home');
    const dir = project({ ...redProject, 'assay.config.json': text });
    expect(expectError(await assay(['fix', dir, '--json'], { home }), 2).message).toMatch(message);
    expect(runsIn(home)).toEqual([]);
  });
});
