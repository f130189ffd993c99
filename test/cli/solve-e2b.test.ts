import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { E2bStandIn } from '../conformance/e2b-stand-in/stand-in.ts';
import { expectError, runsIn } from './expectations.ts';
import { asking, serve } from './model.ts';
import { assay, command, start, until } from './process.ts';
import { folder } from './project.ts';
import { runs, says } from './solve-replies.ts';
import { answer, readCell, recorded, rightCell, scene, solved, wrongCell } from './solve-scene.ts';

const script = path.resolve(import.meta.dirname, '../../script/assay');

/** All text below a run's folder. */
const textOf = (dir: string): string =>
  readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => readFileSync(path.join(parentPath, name), 'latin1'))
    .join('\n');

describe('assay solve --runtime e2b, against a stand-in of the service', () => {
  let service: E2bStandIn;
  beforeAll(async () => {
    service = await E2bStandIn.start();
  });
  afterAll(() => service.close());

  it('runs cells there on files that were sent, brings back what they made, and ends the sandbox', async () => {
    const [home, { dir, task, data }] = [folder('home'), scene()];
    const figure =
      'import matplotlib.pyplot as plt\nplt.bar(["apple"], [total]); plt.title("Stock"); plt.show()';
    const model = recorded(dir, [
      runs(readCell),
      runs(wrongCell),
      runs(rightCell),
      runs(figure),
      says(answer),
    ]);
    const args = ['solve', task, '--data', data, '--runtime', 'e2b', '--model', model, '--json'];
    const ended = await command([script, ...args], { cwd: dir, env: { ASSAY_HOME: home, ...service.env } });
    expect(ended.code, ended.stderr).toBe(0);
    const result = solved(ended);
    expect(result).toMatchObject({
      status: 'complete',
      cells: 4,
      subtasks: [{ failed: 1, summary: answer, end: { status: 'complete' } }],
      warnings: [],
    });
    const host = new URL(service.env.E2B_API_URL ?? '').host;
    expect(ended.stderr).toContain(`the code and 1 file of data now go to ${host}, to be run there`);
    expect(readFileSync(path.join(result.dir, 'files/apples.txt'), 'utf8')).toBe('8');
    expect(result.artifacts.map(({ name }) => name)).toContain('cell-4-stock.png');
    expect(textOf(result.dir)).not.toContain(service.apiKey);
    // It really ran there, with no network, and nothing is left to be paid for.
    const [sandbox] = service.sandboxes.values();
    expect(sandbox?.spec.allow_internet_access).toBe(false);
    expect(service.seen.filter(({ path: at }) => at === '/execute').length).toBeGreaterThan(4);
    expect(service.running).toEqual([]);
  });

  it('goes on in another sandbox where the first is gone, and says so', async () => {
    const [home, { dir, task, data }] = [folder('home'), scene()];
    const wait = 'import time; time.sleep(4)';
    const model = recorded(dir, [runs(readCell), runs(wait), runs(rightCell), says(answer)]);
    const args = ['solve', task, '--data', data, '--runtime', 'e2b', '--model', model, '--json'];
    const before = new Set(service.sandboxes.keys());
    const started = start(args, { home, env: service.env });
    const own = () => [...service.sandboxes.values()].find(({ id }) => !before.has(id));
    await until('the second cell runs', () =>
      service.seen.some(({ body }) => body.includes('time.sleep(4)')),
    );
    await own()?.end();
    const ended = await started.ended;
    expect(ended.code, ended.stderr).toBe(0);
    expect(solved(ended).status).toBe('complete');
    expect(service.sandboxes.size).toBeGreaterThan(before.size + 1);
    const [warning, ...others] = solved(ended).warnings;
    expect(warning).toMatch(/^cell 2: The sandbox was gone .* 1 earlier cell was run again/);
    expect(others).toEqual([]);
    const journal = readFileSync(path.join(solved(ended).dir, 'journal.jsonl'), 'utf8');
    const [, second] = journal.split('\n').filter((line) => line.includes('"cell_ran"'));
    // What the service itself keeps in each interpreter is no doing of the cell.
    expect(JSON.parse(second ?? '{}').event.evidence.variables).toEqual({
      created: [],
      changed: [],
      deleted: [],
    });
  });

  it('is taken up again after a kill, in a sandbox of its own', async () => {
    const [home, { dir, task, data }] = [folder('home'), scene()];
    const sleeping = "import time\nprint('sleeping', flush=True)\ntime.sleep(300)";
    const model = recorded(dir, [runs(readCell), runs(sleeping), runs(rightCell), says(answer)]);
    const args = ['solve', task, '--data', data, '--runtime', 'e2b', '--model', model];
    const started = start([...args, '--events'], { home, env: service.env });
    await until(
      'the second cell runs',
      () => started.stderr().includes('sleeping') || started.stdout().split('"kind":"cell"').length > 2,
    );
    started.child.kill('SIGKILL');
    await started.ended;
    const [run = ''] = runsIn(home);
    const resumed = await assay(['resume', run, '--json'], { home, env: service.env });
    expect(resumed.code, resumed.stderr).toBe(0);
    const result = solved(resumed);
    expect(result).toMatchObject({ status: 'complete', cells: 3 });
    expect(readFileSync(path.join(result.dir, 'files/apples.txt'), 'utf8')).toBe('8');
  });

  it('asks no model where there is no key, and tells a key that is refused', async () => {
    const [home, { task, data }, server] = [folder('home'), scene(), await serve([says(answer)])];
    const args = ['solve', task, '--data', data, '--runtime', 'e2b', ...asking(server), '--json'];
    const none = expectError(await assay(args, { home, env: { ...service.env, E2B_API_KEY: undefined } }), 2);
    expect(none.message).toContain('E2B needs a key');
    expect(server.requests).toEqual([]);
    const wrong = await assay(args, { home, env: { ...service.env, E2B_API_KEY: `e2b_${'f'.repeat(40)}` } });
    expect(wrong.code, wrong.stderr).toBe(7);
    expect(wrong.stderr).not.toContain('f'.repeat(40));
    expect(wrong.stderr).toMatch(/assay resume/);
  });
});
