import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, inject, it } from 'vitest';
import { type RepairEvent, repairEventSchema } from '../../src/core/index.ts';
import { madeSpec } from '../../src/loop/index.ts';
import { openStore } from '../../src/store/index.ts';
import { expectCannotRun, expectError } from './expectations.ts';
import { assay, assayThrough } from './process.ts';
import { folder, mended, mending, project, redProject, replay } from './project.ts';

/** A run that was cut after much talk: what is left of its journal in bytes. */
async function longJournal(home: string, { dir, model }: { dir: string; model: string }): Promise<number> {
  const spec = madeSpec({ dir, proposer: model, strict: inject('holdsEveryLimit') });
  const run = await openStore({ home }).create<RepairEvent>({ kind: 'fix', spec, event: repairEventSchema });
  await run.append({ type: 'run_started', spec });
  for (let n = 0; n < 60; n += 1) await run.append({ type: 'steered', text: 'x'.repeat(1_000) });
  run.close();
  return statSync(path.join(run.dir, 'journal.jsonl')).size;
}

describe.concurrent('a disk that refuses', () => {
  /** Runs what follows with a folder on a file system of its own, in a mount namespace nobody else sees. */
  function mounting(mount: string): [string, ...string[]] {
    const asRoot = process.getuid?.() === 0 ? [] : ['--map-root-user'];
    return ['unshare', ...asRoot, '--mount', 'sh', '-c', `${mount} && exec "$@"`, 'sh'];
  }

  it('is full before the run began', async () => {
    const home = folder('home');
    const tiny = mounting(`mount -t tmpfs -o size=4k,nr_inodes=4 none ${home}`);
    const ended = await assayThrough(tiny, ['fix', project(redProject), '--json'], { home });
    const error = expectError(ended, 7);
    expect(error).toMatchObject({ code: 'environment', because: expect.stringContaining('ENOSPC') });
    expect(error.fix).toMatch(/^Free space on the disk .* or set ASSAY_HOME/);
  });

  it('is full when the project is copied', async () => {
    const home = folder('home');
    const small = mounting(`mount -t tmpfs -o size=256k none ${home}`);
    const dir = project({ ...redProject, 'data.txt': 'x'.repeat(2 ** 20) });
    const result = expectCannotRun(await assayThrough(small, ['fix', dir, '--json'], { home }));
    expect(result.reason).toMatch(/ENOSPC/);
    expect(result.fix).toMatch(/disk space/);
  });

  it('is full in the middle: the journal ends in a whole line, and the run goes on when there is room', async () => {
    const home = folder('home');
    const dir = project(redProject);
    const before = await longJournal(home, { dir, model: replay([mending]) });
    // No file may grow beyond this: what a full disk does to the journal, for any user.
    const args = ['resume', 'latest', '--json'];
    const ended = await assayThrough(['prlimit', `--fsize=${before + 3_000}`], args, { home });
    const error = expectError(ended, 7);
    expect(ended.stderr).toMatch(/^ {2}then: assay resume fix-\S+$/m);
    expect(error.message).toMatch(/^Could not append to the journal in /);
    const cut = openStore({ home }).open('latest', { event: repairEventSchema }).events();
    expect(cut.at(-1)?.event.type).not.toBe('steered');
    expect(readFileSync(path.join(dir, 'shop.py'), 'utf8')).toBe(redProject['shop.py']);
    const resumed = await assay(['resume', 'latest', '--write', '--json'], { home });
    expect(resumed.code, resumed.stderr).toBe(0);
    expect(readFileSync(path.join(dir, 'shop.py'), 'utf8')).toBe(mended);
  });

  it('is full where the lab works', async () => {
    const home = folder('home');
    const tmp = path.join(home, 'tmp');
    mkdirSync(tmp);
    const small = mounting(`mount -t tmpfs -o size=8k none ${tmp}`);
    const args = ['lab', project(redProject), '--json'];
    const ended = await assayThrough(small, args, { home, env: { TMPDIR: tmp } });
    expect(expectError(ended, 7)).toMatchObject({
      code: 'environment',
      fix: expect.stringContaining('TMPDIR'),
    });
  });

  it('is read-only: nothing is written to the project, and the run keeps the patch', async () => {
    const home = folder('home');
    const dir = project(redProject);
    const readOnly: [string, ...string[]] =
      process.getuid?.() === 0
        ? mounting(`mount --bind ${dir} ${dir} && mount -o remount,ro,bind ${dir}`)
        : ['sh', '-c', `chmod a-w ${dir} && "$@"; code=$?; chmod u+w ${dir}; exit $code`, 'sh'];
    const args = ['fix', dir, '--model', replay([mending]), '--write', '--json'];
    const ended = await assayThrough(readOnly, args, { home });
    expect(expectError(ended, 7).message).toMatch(/could not be written to .*; every file is as it was$/);
    expect(readFileSync(path.join(dir, 'shop.py'), 'utf8')).toBe(redProject['shop.py']);
    expect(readdirSync(dir).toSorted()).toEqual(['shop.py', 'tests']);
    const shown = await assay(['show', 'latest', '--patch'], { home });
    expect(shown.stdout).toContain('+    if total <= 100:');
  });

  it('holds an ASSAY_HOME that cannot be', async () => {
    const home = folder('home');
    writeFileSync(path.join(home, 'file'), '');
    const options = { home: path.join(home, 'file'), cwd: home };
    const ended = await assay(['fix', project(redProject), '--json'], options);
    expect(expectError(ended, 7).fix).toMatch(/ASSAY_HOME/);
  });
});
