import { readFileSync } from 'node:fs';
import path from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from 'vitest';
import {
  errorResultSchema,
  type RepairEvent,
  repairEventSchema,
  repairResultSchema,
} from '../../src/core/index.ts';
import { madeSpec } from '../../src/loop/index.ts';
import { openStore } from '../../src/store/index.ts';
import { argumentsOf, assay, assayThrough, command } from './process.ts';
import { folder, mending, newMark, project, redProject, replay, slowTest } from './project.ts';

/** A run whose journal is far larger than any pipe. */
async function longRun(home: string, events: number): Promise<void> {
  const run = await openStore({ home }).create<RepairEvent>({
    kind: 'fix',
    spec: madeSpec(),
    event: repairEventSchema,
  });
  await run.append({ type: 'run_started', spec: madeSpec() });
  for (let n = 0; n < events; n += 1)
    await run.append({ type: 'steered', text: `${n} ${'x'.repeat(1_000)}` });
  run.close();
}

/** A shell command line with assay in it, as a person types it. */
const shell = (line: (assay: string) => string, home: string, env: NodeJS.ProcessEnv = {}) =>
  command(
    ['bash', '-c', `set -o pipefail; ${line(`"${process.execPath}" "${path.resolve('src/cli/main.ts')}"`)}`],
    {
      cwd: process.cwd(),
      env: { ASSAY_HOME: home, ...env },
    },
  );

describe.concurrent('standard output', () => {
  it('holds one object with --json, the progress goes to standard error', async () => {
    const home = folder('home');
    const args = ['fix', project(redProject), '--model', replay([mending]), '--json'];
    const { code, stdout, stderr } = await assay(args, { home });
    expect(code, stderr).toBe(0);
    expect(stdout.trimEnd().split('\n')).toHaveLength(1);
    const result = repairResultSchema.parse(JSON.parse(stdout));
    expect(JSON.parse(readFileSync(path.join(result.dir, 'result.json'), 'utf8'))).toEqual(result);
    const steps = [
      'run fix-',
      'baseline: 1 of 2 fail',
      'round 1: a hundred is small',
      'confirmed',
      'done: 2 tests',
    ];
    const places = steps.map((step) => stderr.indexOf(step));
    expect(places, stderr).toEqual(places.filter((place) => place >= 0).toSorted((a, b) => a - b));
    expect(stderr).not.toContain('\x1b');
    // The run shown again from its folder alone is the same.
    const shown = await assay(['show', '--json'], { home });
    expect(JSON.parse(shown.stdout)).toEqual(result);
    const events = await assay(['show', '--events'], { home });
    const types = events.stdout
      .trimEnd()
      .split('\n')
      .map((line) => repairEventSchema.parse(JSON.parse(line)).type);
    expect([types[0], types.at(-1)]).toEqual(['run_started', 'run_ended']);
  });

  it('holds an event a line with --events, as they are journaled', async () => {
    const home = folder('home');
    const args = ['fix', project(redProject), '--model', replay([mending]), '--events'];
    const { code, stdout, stderr } = await assay(args, { home });
    expect(code, stderr).toBe(0);
    const events = stdout
      .trimEnd()
      .split('\n')
      .map((line) => repairEventSchema.parse(JSON.parse(line)));
    const journal = openStore({ home }).open('latest', { event: repairEventSchema }).events();
    expect(events).toEqual(journal.map(({ event }) => event));
    expect(stderr).toMatch(/^done: 2 tests pass/m);
  });

  it('is whole before the process ends, however slowly it is read', async () => {
    const home = folder('home');
    await longRun(home, 3_000);
    const { stdout } = await shell((assay) => `${assay} show --events | { sleep 1; wc -l -c; }`, home);
    const [lines, bytes] = stdout.trim().split(/\s+/).map(Number);
    expect(lines).toBe(3_001);
    expect(bytes).toBeGreaterThan(3_000_000);
  });

  it('may be closed early by its reader', async () => {
    const home = folder('home');
    await longRun(home, 3_000);
    const { code, stdout, stderr } = await shell((assay) => `${assay} show --events | head -1`, home);
    expect([code, stderr]).toEqual([0, '']);
    expect(repairEventSchema.parse(JSON.parse(stdout)).type).toBe('run_started');
  });

  it('stops a run in good order when its reader is gone', async () => {
    const [home, mark] = [folder('home'), newMark()];
    const dir = project({ ...redProject, 'tests/test_slow.py': slowTest(mark, 0.5) });
    const [, ...args] = argumentsOf(['fix', dir, '--model', replay([mending]), '--events']);
    const { code, stderr } = await shell((assay) => `${assay} ${args.join(' ')} | head -1`, home);
    expect(code, stderr).toBe(130);
    const journal = openStore({ home }).open('latest', { event: repairEventSchema }).events();
    expect(journal.at(-1)?.event).toMatchObject({ type: 'stopped' });
    const resumed = await assay(['resume', 'latest', '--json'], { home });
    expect(repairResultSchema.parse(JSON.parse(resumed.stdout)).status).toBe('done');
  });

  it('on a full disk is an error of its own', async () => {
    const home = folder('home');
    const { code, stderr } = await shell((assay) => `${assay} doctor --json > /dev/full`, home);
    expect(code).toBe(7);
    expect(stderr).toMatch(/^assay: The output cannot be written\.\n {2}because: ENOSPC/);
  });

  it('says in one object that there is a bug, with its trace', async () => {
    const home = folder('home');
    // What no caller can do: the clock of the process is broken.
    const bug =
      'Object.defineProperty(performance, "now", { value: () => { throw new TypeError("no clock") } });';
    const broken = `data:text/javascript,${encodeURIComponent(bug)}`;
    const ended = await assay(['fix', project(redProject), '--json'], {
      home,
      env: { NODE_OPTIONS: `--import ${broken}` },
    });
    expect(ended.code).toBe(1);
    expect(errorResultSchema.parse(JSON.parse(ended.stdout)).error).toMatchObject({
      code: 'internal',
      because: expect.stringContaining('no clock'),
    });
  });
});

describe.concurrent('a terminal', () => {
  const args = (dir: string) => ['fix', dir, '--model', replay([{ ...mending, motivation: long }])];
  const long = `a hundred is small: ${'because the tests say so, '.repeat(10)}日本語`;

  /** What a terminal of so many columns was sent. */
  async function onTerminal(columns: number, env: NodeJS.ProcessEnv = {}): Promise<string> {
    const home = folder('home');
    const words = [process.execPath, ...argumentsOf(args(project(redProject)))];
    const line = words.map((word) => `'${word}'`).join(' ');
    // `script` gives the command a terminal of its own.
    const { code, stdout } = await command(
      ['script', '-qec', `stty cols ${columns}; exec ${line}`, '/dev/null'],
      {
        cwd: home,
        env: {
          ASSAY_HOME: home,
          TERM: 'xterm',
          CI: undefined,
          NO_COLOR: undefined,
          FORCE_COLOR: undefined,
          ...env,
        },
      },
    );
    expect(code, stdout).toBe(0);
    return stdout.replaceAll('\r\n', '\n');
  }

  it('shows a live line that fits, and colours', async () => {
    const sent = await onTerminal(40);
    const live = sent
      .split('\r\x1b[2K')
      .slice(1)
      .map((piece) => piece.split('\n', 1)[0] ?? '')
      .filter((line) => /^\d+:\d\d · /.test(line));
    expect(live.length, sent).toBeGreaterThan(3);
    expect(live.some((line) => line.includes('baseline'))).toBe(true);
    expect(live.filter((line) => line.length > 39)).toEqual([]);
    // A step of the progress is one line, whatever its length; the whole of it is in the result.
    expect(sent).toContain('round 1: a hundred is small: because t…\n');
    expect(sent).toContain('\x1b[32m');
    const text = stripVTControlCharacters(sent);
    const rows = text.slice(text.indexOf('why      '));
    expect(rows.replaceAll(/\n {9}/g, ' ')).toContain(`why      ${long}`);
    // Broken at spaces: only a word that is wider than the terminal runs over.
    const wide = rows
      .split('\n')
      .filter((line) => line.length > 40 && / \S+ \S/.test(line.trimStart().slice(9)));
    expect(wide).toEqual([]);
    expect(rows).toMatch(/^run {6}\/\S+$/m);
    expect(text).toMatch(/done: 2 tests pass after 1 round,\n {2}confirmed in a fresh sandbox\n/);
  });

  it('has no colours with NO_COLOR, and no live line either where it is dumb', async () => {
    const plain = await onTerminal(80, { NO_COLOR: '1' });
    expect(plain).toContain('\r\x1b[2K');
    expect(plain.replaceAll('\r\x1b[2K', '')).not.toContain('\x1b');
    expect(await onTerminal(80, { TERM: 'dumb' })).not.toContain('\x1b');
  });
});

describe('help', () => {
  it('is there for every command, on standard output, within 80 columns', async () => {
    const home = folder('home');
    const commands = [
      [],
      ['fix'],
      ['resume'],
      ['lab'],
      ['runs'],
      ['runs', 'prune'],
      ['show'],
      ['apply'],
      ['doctor'],
    ];
    for (const words of commands) {
      const { code, stdout, stderr } = await assay([...words, '--help'], { home });
      expect([code, stderr]).toEqual([0, '']);
      expect(stdout).toMatch(new RegExp(`^Usage: assay ${words.join(' ')}`));
      expect(stdout.split('\n').filter((line) => line.length > 80)).toEqual([]);
    }
    const version = await assay(['--version'], { home });
    expect(version.stdout).toBe(`${JSON.parse(readFileSync('package.json', 'utf8')).version}\n`);
  });

  it('needs no home and comes before anything is read', async () => {
    const ended = await assayThrough(['env', '-u', 'HOME'], ['--help'], { home: '/no/such/home', cwd: '/' });
    expect(ended.code).toBe(0);
  });
});
