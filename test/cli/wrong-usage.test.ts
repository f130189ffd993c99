import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { type ErrorResult, errorResultSchema } from '../../src/core/index.ts';
import { expectError, runsIn } from './expectations.ts';
import { assay, type Ended } from './process.ts';
import { folder, lay, project, redProject } from './project.ts';

describe.concurrent('a command that is wrong', () => {
  const nowhere = path.join('/', 'no', 'such', 'folder');
  it.each<[string, string[], number, RegExp]>([
    ['a missing folder, fix', ['fix', nowhere], 2, /^There is no folder \/no\/such\/folder/],
    ['a missing folder, lab', ['lab', nowhere], 2, /^\/no\/such\/folder does not exist/],
    ['an empty name, fix', ['fix', ''], 2, /^The folder has an empty name/],
    ['an empty name, lab', ['lab', ''], 2, /^The folder has an empty name/],
    ['memory for nothing', ['lab', '.', '--memory', '1'], 2, /--memory <size>.*32M or more/],
    ['a file for a folder', ['fix', '/etc/passwd'], 2, /is a file, not a project's folder/],
    ['an unknown flag', ['fix', '.', '--nope'], 2, /unknown option '--nope'/],
    ['an unknown command', ['fxi'], 2, /unknown command 'fxi'/],
    ['too many arguments', ['lab', 'a', 'b'], 2, /too many arguments/],
    ['a number that is none', ['fix', '--rounds', 'many'], 2, /--rounds <n>.*whole number of 1 or more/],
    ['json and events', ['fix', '--events'], 2, /cannot be used with option/],
    ['an unknown framework', ['lab', '--framework', 'rspec'], 2, /Allowed choices are pytest/],
    ['an unknown model', ['fix', '.', '--model', 'huge'], 2, /no proposer 'huge'/],
    ['an unknown provider', ['fix', '.', '--model', 'acme/huge'], 2, /no provider "acme"/],
    [
      'a model without its key',
      ['fix', '.', '--model', 'search,openai/gpt-4o'],
      2,
      /OPENAI_API_KEY is not set/,
    ],
    [
      'a server without its address',
      ['fix', '.', '--model', 'openai-compatible/x'],
      2,
      /the address of its server/,
    ],
    ['a price that is none', ['fix', '.', '--price', 'cheap'], 2, /'cheap' is no price/],
    ['a price of no model', ['fix', '.', '--price', '1,2'], 2, /the price of which model/],
    ['one recording of several folders', ['fix', '.', '/tmp', '--record', 'x'], 2, /--record is of one run/],
    [
      'one recording of a chain',
      ['fix', '.', '--model', 'search,search', '--record', 'x'],
      2,
      /names several/,
    ],
    ['a missing recording', ['fix', '.', '--model', 'replay:nope.json'], 2, /nope\.json cannot be read/],
    [
      'a recording that cannot be made',
      ['fix', '.', '--record', '/no/such/rec'],
      2,
      /\/no\/such\/rec cannot be made/,
    ],
    ['an unclosed quote', ['fix', '.', '--test', 'python "x'], 2, /unclosed "/],
    ['a missing list of ids', ['lab', '.', '--expect', 'ids.txt'], 2, /ids cannot be read from .*ids\.txt/],
    [
      'an export that cannot be written',
      ['lab', '.', '--ctrf', '/no/such/x.json'],
      2,
      /cannot be written to/,
    ],
    ['no bounds to prune by', ['runs', 'prune'], 2, /Prune which runs/],
    ['a run that does not exist', ['show', 'fix-1'], 2, /There is no run fix-1/],
    ['no run at all', ['resume', 'latest'], 2, /There is no run latest/],
    ['no run to apply', ['apply', 'latest'], 2, /There is no run latest/],
  ])('%s', async (_, args, exitCode, message) => {
    const home = folder('home');
    const ended = await assay([...args, '--json'], { home });
    const error = expectUsage(ended, exitCode);
    expect(error.message).toMatch(message);
    expect(error.fix).toMatch(/\S/);
    expect(runsIn(home)).toEqual([]);
  });

  /** Like `expectError`, where commander may have said it in its own form. */
  function expectUsage(ended: Ended, exitCode: number): ErrorResult['error'] {
    if (!ended.stderr.startsWith('error: ')) return expectError(ended, exitCode);
    expect(ended.code).toBe(exitCode);
    expect(ended.stderr).toMatch(/^error: .*\n(\(Did you mean .*\n)?\(assay --help/);
    return errorResultSchema.parse(JSON.parse(ended.stdout)).error;
  }

  it.each(['fix', 'lab'])('a folder with a line break in its name, %s', async (name) => {
    const home = folder('home');
    const dir = path.join(home, 'a\nb');
    mkdirSync(dir);
    lay(dir, redProject);
    const error = expectError(await assay([name, dir, '--json'], { home }), 2);
    expect(error).toMatchObject({
      message: expect.stringContaining('line break'),
      fix: expect.stringContaining('Rename'),
    });
    expect(runsIn(home)).toEqual([]);
  });

  it('a recording that is malformed', async () => {
    const home = folder('home');
    writeFileSync(path.join(home, 'bad.json'), '{"schema": "assay-replay/1"');
    const ended = await assay(['fix', project(redProject), '--model', 'replay:bad.json', '--json'], { home });
    expect(expectError(ended, 1)).toMatchObject({
      code: 'input',
      message: expect.stringContaining('bad.json'),
    });
    expect(runsIn(home)).toEqual([]);
  });

  it.each<[string, string, RegExp]>([
    ['no JSON', '{"schema": ', /JSON/],
    ['no files', '{"schema": "assay-job/1"}', /files: /],
    ['a word nobody knows', '{"schema": "assay-job/1", "files": {}, "colour": 1}', /colour/],
    ['two names that cannot both be', '{"schema": "assay-job/1", "files": {"a": "1", "a/b": "2"}}', /"a\/b"/],
    ['too little memory', '{"schema": "assay-job/1", "files": {}, "memory": 1}', /memory: /],
    ['a file outside', '{"schema": "assay-job/1", "files": {"../../x": "1"}}', /outside its own folder/],
  ])('a job with %s', async (_, input, because) => {
    const home = folder('home');
    const error = expectError(await assay(['lab', '-', '--json'], { home, input }), 1);
    expect(error).toMatchObject({ code: 'input', because: expect.stringMatching(because) });
  });
});
