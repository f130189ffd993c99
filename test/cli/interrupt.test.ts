import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  errorResultSchema,
  type RepairEvent,
  repairEventSchema,
  repairResultSchema,
} from '../../src/core/index.ts';
import { openStore } from '../../src/store/index.ts';
import { type Assay, assay, processesWith, start, until } from './process.ts';
import { folder, mending, newMark, project, redProject, replay, slowTest } from './project.ts';

type Phase = Extract<RepairEvent, { type: 'effect_started' }>['effect']['kind'];

const slowProject = (mark: string, seconds = 0.7) =>
  project({ ...redProject, 'tests/test_slow.py': slowTest(mark, seconds) });

const eventsOf = (text: string): RepairEvent[] =>
  text
    .split('\n')
    .filter((line) => line.endsWith('}'))
    .map((line) => repairEventSchema.parse(JSON.parse(line)));

/** The run is in this phase, and a test process of it is at work in its sandbox. */
async function reach(running: Assay, phase: Phase, mark: string): Promise<void> {
  const at = () =>
    eventsOf(running.stdout())
      .filter((event) => event.type === 'effect_started')
      .at(-1)?.effect.kind;
  await until(`${phase} with a test at work`, () => at() === phase && processesWith(mark).length > 0);
}

const journalOf = (home: string): RepairEvent[] =>
  openStore({ home })
    .open<RepairEvent>('latest', { event: repairEventSchema })
    .events()
    .map(({ event }) => event);

/** The highest lock of the newest run: `released`, or the process that holds it. */
function lockOf(home: string): string {
  const [run] = openStore({ home }).list();
  const dir = run?.dir ?? '';
  const locks = readdirSync(dir).filter((name) => name.startsWith('lock.'));
  return readFileSync(path.join(dir, locks.toSorted().at(-1) ?? ''), 'utf8');
}

async function expectSameEnd(home: string): Promise<void> {
  const resumed = await assay(['resume', 'latest', '--json'], { home });
  expect(resumed.code, resumed.stderr).toBe(0);
  const result = repairResultSchema.parse(JSON.parse(resumed.stdout));
  expect(result).toMatchObject({ status: 'done', rounds: 1, tests: { total: 3, passed: 3 } });
  expect(result.patch).toContain('+    if total <= 100:');
  const events = journalOf(home);
  expect(events.filter(({ type }) => type === 'run_ended')).toHaveLength(1);
  expect(events.at(-1)?.type).toBe('run_ended');
}

// Most of their time these tests wait for tests that sleep.
describe.concurrent('Ctrl-C', () => {
  it.each<[Phase, NodeJS.Signals, 'search' | 'replay']>([
    ['baseline', 'SIGINT', 'replay'],
    ['propose', 'SIGINT', 'search'],
    ['test', 'SIGTERM', 'replay'],
    ['confirm', 'SIGINT', 'replay'],
  ])('in %s by %s stops in good order, and resume comes to the same end', async (phase, signal, kind) => {
    const [home, mark] = [folder('home'), newMark()];
    const model = kind === 'search' ? 'search' : replay([mending]);
    const running = start(['fix', slowProject(mark), '--model', model, '--events'], { home });
    await reach(running, phase, mark);
    running.child.kill(signal);
    const { code, stderr, stdout } = await running.ended;
    expect(code, stderr).toBe(130);
    expect(processesWith(mark)).toEqual([]);
    expect(journalOf(home).at(-1)).toMatchObject({ type: 'stopped', detail: 'interrupted' });
    expect(eventsOf(stdout)).toEqual(journalOf(home));
    expect(lockOf(home)).toBe('released');
    expect(stderr).toMatch(/assay resume fix-\d{8}-\d{6}-\w+/);
    await expectSameEnd(home);
  });

  it('of a terminal reaches the whole process group and ends just as well', async () => {
    const [home, mark] = [folder('home'), newMark()];
    const running = start(['fix', slowProject(mark), '--model', replay([mending]), '--json'], {
      home,
      group: true,
    });
    await until('a test at work', () => processesWith(mark).length > 0);
    process.kill(-(running.child.pid ?? 0), 'SIGINT');
    const { code, stdout, stderr } = await running.ended;
    expect(code, stderr).toBe(130);
    expect(processesWith(mark)).toEqual([]);
    expect(repairResultSchema.parse(JSON.parse(stdout))).toMatchObject({
      status: 'aborted',
      reason: expect.stringMatching(/^interrupted; go on with: assay resume fix-/),
    });
    expect(journalOf(home).at(-1)).toMatchObject({ type: 'stopped' });
    await expectSameEnd(home);
  });

  it('twice ends at once, leaves nothing alive, and the run can still be resumed', async () => {
    const [home, mark] = [folder('home'), newMark()];
    const running = start(['fix', slowProject(mark), '--model', replay([mending]), '--events'], { home });
    await reach(running, 'test', mark);
    // Two of the same kind would be one to the kernel while the first is pending.
    running.child.kill('SIGINT');
    running.child.kill('SIGTERM');
    const { code, signal } = await running.ended;
    expect([code, signal]).toEqual([130, null]);
    await until('nothing is left alive', () => processesWith(mark).length === 0, 5_000);
    await expectSameEnd(home);
  });

  it('twice prints one object with --json all the same', async () => {
    const [home, mark] = [folder('home'), newMark()];
    const running = start(['fix', slowProject(mark, 20), '--model', replay([mending]), '--json'], { home });
    await until('a test at work', () => processesWith(mark).length > 0);
    running.child.kill('SIGINT');
    running.child.kill('SIGTERM');
    const { code, stdout } = await running.ended;
    expect(code).toBe(130);
    expect(errorResultSchema.parse(JSON.parse(stdout)).error).toMatchObject({
      code: 'interrupted',
      fix: expect.stringContaining('assay resume'),
    });
    await until('nothing is left alive', () => processesWith(mark).length === 0, 5_000);
  });
});

describe.concurrent('Ctrl-C while assay is being loaded', () => {
  /** Signals the process itself when it imports a module of this name. */
  const signalAt = (module: string) => {
    const hook = `import { registerHooks } from 'node:module';
let sent = false;
registerHooks({
  load(url, context, next) {
    if (!sent && url.endsWith('/${module}')) {
      sent = true;
      process.kill(process.pid, 'SIGINT');
    }
    return next(url, context);
  },
});`;
    return { NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(hook)}` };
  };

  it.each(['src/cli/run-program.ts', 'src/cli/program.ts', 'src/cli/commands/fix.ts'])(
    'at %s ends with 130 and one object',
    async (module) => {
      const home = folder('home');
      const args = ['fix', project(redProject), '--model', replay([mending]), '--json'];
      const { code, signal, stdout, stderr } = await assay(args, { home, env: signalAt(module) });
      expect([code, signal], stderr).toEqual([130, null]);
      expect(stdout.trimEnd().split('\n')).toHaveLength(1);
      const printed = JSON.parse(stdout);
      expect(printed.error?.code ?? printed.status).toMatch(/^(interrupted|aborted)$/);
      expect(stderr).toContain('interrupted');
    },
  );
});

describe.concurrent('Ctrl-C in lab', () => {
  it('ends with 130 and one report, and leaves no process and no file', async () => {
    const [home, mark] = [folder('home'), newMark()];
    const tmp = path.join(home, 'tmp');
    mkdirSync(tmp);
    const running = start(['lab', slowProject(mark, 20), '--json'], { home, env: { TMPDIR: tmp } });
    await until('a test at work', () => processesWith(mark).length > 0);
    expect(readdirSync(tmp)).toHaveLength(1);
    running.child.kill('SIGINT');
    const { code, stdout, stderr } = await running.ended;
    expect(code, stderr).toBe(130);
    expect(JSON.parse(stdout)).toMatchObject({ schema: 'assay-report/1', verdict: 'aborted' });
    expect(processesWith(mark)).toEqual([]);
    expect(readdirSync(tmp)).toEqual([]);
  });

  it('twice ends at once and leaves no file either', async () => {
    const [home, mark] = [folder('home'), newMark()];
    const tmp = path.join(home, 'tmp');
    mkdirSync(tmp);
    const running = start(['lab', slowProject(mark, 20)], { home, env: { TMPDIR: tmp } });
    await until('a test at work', () => processesWith(mark).length > 0);
    running.child.kill('SIGINT');
    running.child.kill('SIGTERM');
    expect((await running.ended).code).toBe(130);
    await until('nothing is left alive', () => processesWith(mark).length === 0, 5_000);
    expect(readdirSync(tmp)).toEqual([]);
  });

  it('ends a lab that waits for its job', async () => {
    const home = folder('home');
    const running = start(['lab', '-', '--json'], { home });
    // More than a pipe holds: once it is written, the other side reads.
    await new Promise((written) => running.child.stdin.write(' '.repeat(2 ** 20), written));
    running.child.kill('SIGINT');
    const { code, stdout } = await running.ended;
    expect(code).toBe(130);
    expect(errorResultSchema.parse(JSON.parse(stdout)).error.code).toBe('interrupted');
  });
});
