import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openCgroups } from './cgroup/index.ts';
import { hostFolder } from './sandbox.fixture.ts';
import { createSandbox } from './sandbox.ts';

/** As on a machine that mounts no hierarchy of control groups. */
const cgroups = openCgroups({ mountinfo: '' });

describe('the doctor of a machine without control groups', () => {
  it('says that only the strict policy refuses, and what is enforced without it', async () => {
    const report = await createSandbox({ cgroups }).doctor();
    expect(report).toMatchObject({
      ok: false,
      unavailable: {
        cause: expect.stringContaining('cannot hold every limit'),
        fix: expect.stringContaining('--no-strict'),
      },
      relaxed: { network: 'none', seccomp: true, memory: 'rlimit', oomCounter: false },
    });
  });

  it('names what keeps every sandbox from being made before the limits that are not held', async () => {
    const folder = hostFolder({
      bwrap: '#!/bin/sh\necho "bwrap: setting up uid map: Permission denied" >&2\nexit 1\n',
    });
    chmodSync(join(folder.path, 'bwrap'), 0o755);
    const report = await createSandbox({ cgroups, path: folder.path }).doctor();
    folder.remove();
    expect(report).toMatchObject({ ok: false, unavailable: { cause: expect.stringContaining('AppArmor') } });
    expect(report).not.toHaveProperty('relaxed');
  });
});
