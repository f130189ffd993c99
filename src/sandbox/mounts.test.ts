import { chmodSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { inWorkspace, MiB, sandboxFixture, textOf, workspace } from './sandbox.fixture.ts';
import type { Mount, Toolchain } from './types.ts';

const { folderWith, shell } = sandboxFixture();

describe('mounts', () => {
  it('show the host read-only, or writable where asked', async () => {
    const source = folderWith({ 'a.txt': 'from the host' });
    chmodSync(source, 0o777);
    chmodSync(join(source, 'a.txt'), 0o666);
    const { outcome } = await shell(
      'cat /in/a.txt; echo x > /in/b || echo refused; echo made > /out/c; ls /out',
      {
        policy: {
          mounts: [
            { kind: 'ro', source, target: '/in' },
            { kind: 'rw', source, target: '/out' },
          ],
        },
      },
    );
    expect(outcome.stdout.head).toBe('from the hostrefused\na.txt\nc\n');
    expect(readFileSync(join(source, 'c'), 'utf8')).toBe('made\n');
    expect(outcome.enforcement.disk).toBe('rlimit');
  });

  it('fill a workspace with files of the host that belong to the code, with modes and times', async () => {
    const source = folderWith({
      'a.sh': '#!/bin/sh\necho a runs\n',
      'deep/er/b': 'b',
      '.hidden': 'h',
      'sp ace': 's',
    });
    chmodSync(join(source, 'a.sh'), 0o700);
    symlinkSync('deep/er/b', join(source, 'link'));
    const { outcome } = await shell(
      './a.sh; cat link .hidden "sp ace"; echo more > deep/er/c; chmod 755 .; stat -c %Y a.sh; find . ! -user "$(id -u)"',
      inWorkspace({ kind: 'fill', source, target: workspace.target }),
    );
    const modified = Math.floor(statSync(join(source, 'a.sh')).mtimeMs / 1000);
    expect(textOf(outcome)).toBe(`a runs\nbhs${modified}\n`);
    expect(outcome.enforcement.disk).toBe('tmpfs');
    expect(readdirSync(join(source, 'deep/er'))).toEqual(['b']);
  });

  it('let later fills win, and leave alone what a mount covers', async () => {
    const first = folderWith({
      same: 'first',
      only: 'only',
      'tests/t.py': 'planted',
      'tests/helper.py': 'helper',
    });
    const second = folderWith({ same: 'second' });
    const pristine = folderWith({ 't.py': 'pristine' });
    chmodSync(join(pristine, 't.py'), 0o644);
    // A link planted by the first where the second has a file must be replaced, not written through.
    symlinkSync('/tmp/elsewhere', join(first, 'trap'));
    writeFileSync(join(second, 'trap'), 'no trap');
    const tests = `${workspace.target}/tests`;
    const { outcome } = await shell(
      'cat same only tests/t.py tests/helper.py trap; ls /tmp; rm tests/t.py 2>&1; mv tests tests2 2>&1; echo x 2>&1 > tests/t.py',
      inWorkspace(
        { kind: 'tmpfs', target: tests, sizeBytes: MiB },
        { kind: 'ro', source: join(pristine, 't.py'), target: `${tests}/t.py` },
        { kind: 'fill', source: first, target: workspace.target },
        { kind: 'fill', source: second, target: workspace.target },
      ),
    );
    expect(outcome.stdout.head).toMatch(/^secondonlypristinehelperno traprm: .*busy\nmv: .*busy\n/);
  });

  it('say what went wrong when a fill does not fit, and run nothing', async () => {
    const source = folderWith({ big: 'x'.repeat(9 * MiB) });
    const { outcome } = await shell(
      'echo ran',
      inWorkspace({ kind: 'fill', source, target: workspace.target }),
    );
    expect(outcome).toMatchObject({ reason: 'unavailable', stdout: { totalBytes: 0 } });
    expect(outcome.unavailable?.cause).toMatch(/do not fit/);
  });

  it('say what is missing on the host, and run nothing', async () => {
    const mounts: Mount[] = [{ kind: 'ro', source: '/no/such/source', target: '/in' }];
    const { outcome } = await shell('echo ran', { policy: { mounts } });
    expect(outcome.reason).toBe('unavailable');
    expect(outcome.unavailable?.cause).toContain('/no/such/source');
  });

  it('may lie under /tmp and under /usr', async () => {
    const source = folderWith({ f: 'filled' });
    for (const target of ['/tmp/deep/workspace', '/usr/share']) {
      const { outcome } = await shell('cat f; echo x > g && ls', {
        command: { cwd: target },
        policy: {
          mounts: [
            { kind: 'tmpfs', target, sizeBytes: MiB },
            { kind: 'fill', source, target },
          ],
        },
      });
      expect(textOf(outcome)).toBe('filledf\ng\n');
    }
  });

  it('reach a toolchain in a folder only its owner may enter, and nothing beside it', async () => {
    const home = folderWith({ 'tool/bin/hello': '#!/bin/sh\necho hello\n', credentials: 'secret' });
    chmodSync(home, 0o700);
    for (const path of ['tool/bin', 'tool']) chmodSync(join(home, path), 0o755);
    chmodSync(join(home, 'tool/bin/hello'), 0o755);
    const toolchain: Toolchain = {
      program: join(home, 'tool/bin/hello'),
      prefixes: [join(home, 'tool')],
      path: [join(home, 'tool/bin')],
      env: { TOOL_HOME: join(home, 'tool') },
    };
    const { outcome } = await shell(`hello; echo $TOOL_HOME; ls ${home}`, {
      policy: { toolchains: [toolchain] },
    });
    expect(textOf(outcome)).toBe(`hello\n${join(home, 'tool')}\ntool\n`);
  });
});
