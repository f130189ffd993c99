import { chmodSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openCgroups } from './cgroup/index.ts';
import { optionsOf, sandboxFixture } from './sandbox.fixture.ts';
import { createSandbox } from './sandbox.ts';

const { folderWith, run } = sandboxFixture();

describe('what is missing', () => {
  it('is a refusal with a cause and a fix, and nothing runs', async () => {
    const cases: [string, ReturnType<typeof createSandbox>, RegExp][] = [
      ['bwrap', createSandbox({ path: '/nowhere' }), /bubblewrap/],
      ['a known machine type', createSandbox({ arch: 'riscv64' }), /riscv64/],
    ];
    for (const [what, poor, cause] of cases) {
      const { outcome } = await poor.run(optionsOf({ argv: ['echo', 'ran'] }));
      expect(outcome, what).toMatchObject({ reason: 'unavailable', stdout: { totalBytes: 0 } });
      expect(outcome.unavailable?.cause).toMatch(cause);
      expect(outcome.unavailable?.fix).not.toBe('');
      expect(await poor.doctor()).toEqual({ ok: false, unavailable: outcome.unavailable });
      expect(() => poor.stage()).toThrow();
      expect(poor.sweep()).toEqual({ cgroups: [], processes: [], slots: [], staging: [] });
    }
  });

  it('is told also where bwrap disappears between two runs', async () => {
    const folder = folderWith({ bwrap: '#!/bin/sh\nexec /usr/bin/bwrap "$@"\n' });
    chmodSync(join(folder, 'bwrap'), 0o755);
    for (const cgroups of [undefined, openCgroups({ mountinfo: '' })]) {
      const moved = createSandbox({ path: folder, ...(cgroups === undefined ? {} : { cgroups }) });
      expect((await moved.run(optionsOf({ argv: ['true'], policy: { strict: false } }))).outcome.reason).toBe(
        'exited',
      );
      renameSync(join(folder, 'bwrap'), join(folder, 'gone'));
      const { outcome } = await moved.run(optionsOf({ argv: ['true'], policy: { strict: false } }));
      expect(outcome.reason).toBe('unavailable');
      expect(outcome.unavailable?.cause).toMatch(/bwrap|could not be built/);
      renameSync(join(folder, 'gone'), join(folder, 'bwrap'));
    }
  });

  it('is never made up for by a relative PATH, where the project could have put a bwrap', async () => {
    const folder = folderWith({ bwrap: '#!/bin/sh\n' });
    chmodSync(join(folder, 'bwrap'), 0o755);
    const here = process.cwd();
    process.chdir(folder);
    const { outcome } = await createSandbox({ path: `.::bin` }).run(optionsOf({ argv: ['true'] }));
    process.chdir(here);
    expect(outcome.unavailable?.cause).toMatch(/not installed/);
  });

  it('keeps options that no sandbox can have from being run at all', async () => {
    await expect(run({ argv: ['true'], limits: { pids: 0 } })).rejects.toMatchObject({ code: 'usage' });
  });
});
