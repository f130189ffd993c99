import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { openCgroups } from './cgroup/index.ts';
import { type Attempt, hostFolder, MiB, optionsOf, roomy, textOf } from './sandbox.fixture.ts';
import { createSandbox } from './sandbox.ts';
import type { Mount, Toolchain } from './types.ts';

const sandbox = createSandbox();
const run = (attempt: Attempt) => sandbox.run(optionsOf(attempt));
const shell = (script: string, attempt: Partial<Attempt> = {}) =>
  run({ argv: ['/bin/sh', '-c', script], ...attempt });

const cleanUp: (() => void)[] = [];
afterEach(() => {
  for (const undo of cleanUp.splice(0)) undo();
});

function folderWith(files: Record<string, string>): string {
  const folder = hostFolder(files);
  cleanUp.push(folder.remove);
  return folder.path;
}

const workspace = { kind: 'tmpfs', target: '/home/me/project', sizeBytes: 8 * MiB } as const;
const inWorkspace = (...mounts: Mount[]) => ({
  policy: { mounts: [workspace, ...mounts] },
  command: { cwd: workspace.target },
});

describe('a command in a sandbox', () => {
  it('ends with its own exit code and output', async () => {
    const { outcome } = await shell('echo out; echo err >&2; exit 3');
    expect(outcome).toMatchObject({ reason: 'exited', exitCode: 3, signal: null, unavailable: null });
    expect(outcome.stdout).toEqual({ head: 'out\n', tail: '', totalBytes: 4, truncated: false });
    expect(outcome.stderr.head).toBe('err\n');
    expect(outcome.usage.wallMs).toBeGreaterThan(0);
  });

  it('gets its arguments, folder and variables as they are', async () => {
    const odd = `a 'b' "c" $d \`e\`\n\\ *`;
    const { outcome } = await run({
      argv: ['/usr/bin/env', 'sh', '-c', 'printf "%s|" "$0" "$ODD" "$PWD" "$PATH"', odd],
      command: { cwd: '/usr/bin', env: { ODD: odd, PATH: '/usr/bin' } },
    });
    expect(outcome.stdout.head).toBe(`${odd}|${odd}|/usr/bin|/usr/bin|`);
  });

  it('gets nothing of the environment of the runner', async () => {
    process.env.ASSAY_TEST_SECRET = 'leak';
    const { outcome } = await run({ argv: ['/usr/bin/env'] });
    delete process.env.ASSAY_TEST_SECRET;
    const names = outcome.stdout.head
      .trim()
      .split('\n')
      .map((line) => line.split('=')[0]);
    expect(
      names.filter((name) => !['HOME', 'LANG', 'PATH', 'PWD', 'OLDPWD', 'SHLVL', '_'].includes(name ?? '')),
    ).toEqual([]);
  });

  it('reads its input to the end, also a large one, and end of file without one', async () => {
    const { outcome } = await run({ argv: ['wc', '-c'], command: { stdin: Buffer.alloc(3 * MiB) } });
    expect(outcome.stdout.head.trim()).toBe(String(3 * MiB));
    expect((await run({ argv: ['wc', '-c'] })).outcome.stdout.head.trim()).toBe('0');
  });

  it('can open its standard streams by name', async () => {
    const { outcome } = await shell('echo a > /dev/stdout; echo b | tee /dev/stderr; cat /dev/stdin', {
      command: { cwd: '/tmp', stdin: Buffer.from('c') },
    });
    expect(outcome.stdout.head).toBe('a\nb\nc');
    expect(outcome.stderr.head).toBe('b\n');
  });

  it('may end without reading its input', async () => {
    const { outcome } = await run({ argv: ['true'], command: { stdin: Buffer.alloc(3 * MiB) } });
    expect(outcome).toMatchObject({ reason: 'exited', exitCode: 0 });
  });

  it('has no descriptor but its three and the channel', async () => {
    const listed = await run({ argv: ['ls', '/proc/self/fd'] });
    expect(listed.outcome.stdout.head.trim().split('\n')).toEqual(['0', '1', '2', '3']);
    const { outcome } = await run({ argv: ['ls', '/proc/self/fd'], policy: { channel: { maxBytes: 1 } } });
    expect(outcome.stdout.head.trim().split('\n')).toEqual(['0', '1', '2', '3', '4']);
  });

  it('is an ordinary user without rights, under a filter', async () => {
    const { outcome } = await shell('id -u; grep -E "^(Cap|NoNewPrivs|Seccomp:)" /proc/self/status');
    const [uid, ...lines] = outcome.stdout.head.trim().split('\n');
    expect(Number(uid)).toBeGreaterThan(0);
    const status = Object.fromEntries(lines.map((line) => line.split(/:\s*/)));
    for (const set of ['CapInh', 'CapPrm', 'CapEff', 'CapBnd', 'CapAmb'])
      expect(status[set], set).toMatch(/^0+$/);
    expect(status).toMatchObject({ NoNewPrivs: '1', Seccomp: '2' });
    expect(outcome.enforcement).toMatchObject({ network: 'none', seccomp: true });
    if (process.getuid?.() === 0) expect(outcome.enforcement.hostUid).toBe(Number(uid));
  });

  it('gets variables that act on programs only itself, not the programs that prepare the sandbox', async () => {
    const source = folderWith({ f: 'x' });
    const { policy } = inWorkspace({ kind: 'fill', source, target: workspace.target });
    const { outcome } = await run({
      argv: ['true'],
      policy,
      command: { env: { LD_PRELOAD: '/no/such.so' } },
    });
    expect(outcome.stderr.head.match(/no\/such\.so/g)).toHaveLength(1);
  });

  it('that does not exist is told apart from one that fails', async () => {
    for (const program of ['/no/such/program', 'no-such-program', '/etc/passwd', '/usr']) {
      const { outcome } = await run({ argv: [program] });
      expect(outcome.reason, program).toBe('unavailable');
      expect(outcome.unavailable?.cause).toContain(program);
      expect(outcome.enforcement.isolation).toBe('none');
    }
    expect((await shell('exit 127')).outcome).toMatchObject({ reason: 'exited', exitCode: 127 });
    expect((await shell('exit 126')).outcome).toMatchObject({ reason: 'exited', exitCode: 126 });
  });

  it('in a folder that does not exist is not run', async () => {
    const { outcome } = await run({ argv: ['echo', 'ran'], command: { cwd: '/no/where' } });
    expect(outcome).toMatchObject({ reason: 'unavailable', stdout: { totalBytes: 0 } });
    expect(outcome.unavailable?.cause).toContain('/no/where');
  });

  it('killed by a signal says which', async () => {
    expect((await shell('kill -SEGV $$')).outcome).toMatchObject({ reason: 'signaled', signal: 'SIGSEGV' });
  });

  it('can use /dev/null, /dev/urandom, /tmp and /dev/shm and nothing else outside its mounts', async () => {
    const { outcome } = await shell(
      `head -c 4 /dev/urandom | wc -c; echo x > /dev/null; for at in /tmp /dev/shm / /etc /usr /dev /proc/sys /home; do
         if (: > $at/made) 2>/dev/null; then echo "$at"; fi; done`,
    );
    expect(outcome.stdout.head.trim().split('\n')).toEqual(['4', '/tmp', '/dev/shm']);
  });

  it('resolves localhost and knows its own name without asking anybody', async () => {
    const { outcome } = await shell('getent hosts localhost; id -un; getent passwd $(id -u) | cut -d: -f6');
    expect(outcome.stdout.head).toMatch(/localhost[^\n]*\nassay\n\/tmp\n$/);
  });
});

describe('limits', () => {
  it('end a command that takes too long, with what it said until then', async () => {
    const { outcome } = await shell('echo begun; sleep 600', { limits: { wallMs: 500 } });
    expect(outcome).toMatchObject({ reason: 'timeout', stdout: { head: 'begun\n' } });
    expect(outcome.usage.wallMs).toBeGreaterThanOrEqual(500);
  });

  it('end a command that prints too much, or let it go on and keep both ends', async () => {
    const output = { maxBytes: 1000, onExcess: 'kill' } as const;
    const killed = await shell('yes', { limits: { output } });
    expect(killed.outcome).toMatchObject({ reason: 'output_limit', stdout: { truncated: true } });
    const script = 'echo first; yes | head -c 3000000; echo last';
    const { outcome } = await shell(script, { limits: { output: { ...output, onExcess: 'truncate' } } });
    expect(outcome).toMatchObject({ reason: 'exited', exitCode: 0 });
    expect(outcome.stdout).toMatchObject({ totalBytes: 3_000_011, truncated: true });
    expect(outcome.stdout.head).toMatch(/^first\ny/);
    expect(outcome.stdout.tail).toMatch(/y\nlast\n$/);
  });

  it('count what is read only after the end', async () => {
    for (let turn = 0; turn < 5; turn++) {
      const { outcome } = await shell('head -c 1001 /dev/zero', {
        limits: { output: { maxBytes: 1000, onExcess: 'kill' } },
      });
      expect(outcome.reason).toBe('output_limit');
    }
  });

  it('hold files, open files and core dumps', async () => {
    const { outcome } = await shell('ulimit -f; ulimit -n; ulimit -c', {
      limits: { fileBytes: MiB, openFiles: 40 },
    });
    expect(outcome.stdout.head).toBe('2048\n40\n0\n');
  });

  it('hold what is written to memory-backed folders', async () => {
    const { outcome } = await shell(
      'for at in /tmp /dev/shm .; do head -c 20000000 /dev/zero > $at/big 2>/dev/null; stat -c %s $at/big; rm $at/big; done',
      { ...inWorkspace(), limits: { tmpBytes: MiB } },
    );
    expect(outcome.stdout.head).toBe(`${MiB}\n${MiB}\n${8 * MiB}\n`);
  });
});

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

describe('the private channel', () => {
  const channel = { maxBytes: 1000 };

  it('brings back bytes apart from the output', async () => {
    const { outcome, channel: received } = await shell('echo public; echo private >&$ASSAY_CHANNEL_FD', {
      policy: { channel },
    });
    expect(Buffer.from(received).toString()).toBe('private\n');
    expect(outcome.stdout.head).toBe('public\n');
  });

  it('brings back all that was sent just before the end', async () => {
    for (let turn = 0; turn < 10; turn++) {
      const { outcome, channel: received } = await shell('head -c 300000 /dev/zero >&3; echo said', {
        policy: { channel: { maxBytes: MiB } },
      });
      expect(received.length).toBe(300_000);
      expect(outcome.stdout.head).toBe('said\n');
    }
  });

  it('ends a command that sends too much over it', async () => {
    const { outcome, channel: received } = await shell('yes >&3', { policy: { channel } });
    expect(outcome.reason).toBe('output_limit');
    expect(received.length).toBe(1000);
  });

  it('is empty without one', async () => {
    const { channel: received } = await shell('(echo x >&3) 2>/dev/null || exit 7');
    expect(received.length).toBe(0);
  });
});

describe('abort', () => {
  it('before the start starts nothing', async () => {
    const { outcome } = await shell('echo ran', { signal: AbortSignal.abort() });
    expect(outcome).toMatchObject({ reason: 'aborted', stdout: { totalBytes: 0 } });
  });

  /** Aborts a command that starts others after so many milliseconds, or as soon as it says that it has begun. */
  async function abortedAt(when: number | 'begun') {
    const token = `sleep 9${process.pid}${Math.floor(performance.now())}`;
    const controller = new AbortController();
    const running = sandbox.run({
      ...optionsOf({ argv: ['/bin/sh', '-c', `setsid ${token} & echo begun; ${token}`] }),
      signal: controller.signal,
      onOutput: () => controller.abort(),
    });
    if (when !== 'begun') {
      await sleep(when);
      controller.abort();
    }
    const { outcome } = await running;
    const alive = spawnSync('pgrep', ['-f', token], { encoding: 'utf8' }).stdout;
    return { reason: outcome.reason, output: outcome.stdout.head, alive };
  }

  it('at any instant ends it, and everything it started', async () => {
    for (const instant of [0, 1, 2, 3, 5, 8, 13, 21, 34]) {
      expect(await abortedAt(instant), `at ${instant} ms`).toMatchObject({ reason: 'aborted', alive: '' });
    }
    expect(await abortedAt('begun')).toEqual({ reason: 'aborted', output: 'begun\n', alive: '' });
  });
});

describe('a spawned process', () => {
  it('talks over stdin and the channel until it is killed', async () => {
    const process = await sandbox.spawn(
      optionsOf({
        argv: ['/bin/sh', '-c', 'while read -r line; do echo "got $line" >&3; done; echo ended >&3'],
        policy: { channel: { maxBytes: 1000 } },
      }),
    );
    const { channel } = process;
    if (channel === undefined) throw new Error('no channel');
    process.stdin.write('one\n');
    expect(String(await nextData(channel))).toBe('got one\n');
    process.stdin.write('two\n');
    expect(String(await nextData(channel))).toBe('got two\n');
    expect(await process.kill()).toMatchObject({ reason: 'aborted' });
    expect(await process.exited).toMatchObject({ reason: 'aborted' });
  });

  it('gets signals itself, not bwrap', async () => {
    const process = await sandbox.spawn(
      optionsOf({
        argv: [
          '/bin/sh',
          '-c',
          'trap "echo interrupted; exit 5" INT; echo ready >&3; while :; do sleep 0.05; done',
        ],
        policy: { channel: { maxBytes: 10 } },
      }),
    );
    if (process.channel === undefined) throw new Error('no channel');
    await nextData(process.channel);
    await process.signal('SIGINT');
    expect(await process.exited).toMatchObject({
      reason: 'exited',
      exitCode: 5,
      stdout: { head: 'interrupted\n' },
    });
    await process.signal('SIGINT');
  });

  it('that cannot be had has ended already', async () => {
    const nothing = createSandbox({ path: '/nowhere' });
    const process = await nothing.spawn(optionsOf({ argv: ['true'] }));
    expect(await process.exited).toMatchObject({ reason: 'unavailable' });
    expect(await process.kill()).toMatchObject({ reason: 'unavailable' });
    process.stdin.write('to nobody');
    await process.signal('SIGINT');
  });
});

function nextData(stream: NodeJS.ReadableStream): Promise<Buffer> {
  return new Promise((resolve) => stream.once('data', resolve));
}

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

describe('many at once', () => {
  it('do not see or disturb one another', async () => {
    const marks = Array.from({ length: 12 }, (_, index) => `mark-${index}`);
    const script = (mark: string) =>
      `echo ${mark} > /tmp/${mark}; sleep 0.2; ls /tmp; id -u; ps -e -o pid= | wc -l`;
    const outcomes = await Promise.all(marks.map((mark) => shell(script(mark))));
    const uids = new Set<string>();
    for (const [index, { outcome }] of outcomes.entries()) {
      const [seen, uid = '', processes] = outcome.stdout.head.trim().split('\n');
      expect(seen).toBe(marks[index]);
      expect(Number(processes)).toBeLessThan(8);
      uids.add(uid);
    }
    if (process.getuid?.() === 0) expect(uids.size).toBe(marks.length);
  });
});

describe('staging', () => {
  it("is the runner's own, and a dead runner's is swept", () => {
    const stage = sandbox.stage();
    cleanUp.push(() => stage.remove());
    expect(statSync(stage.path).mode & 0o777).toBe(0o700);
    const dead = stage.path.replace(/assay-\d+-\d+-/, 'assay-4194305-1-');
    mkdirSync(join(dead, 'a/b'), { recursive: true });
    expect(sandbox.sweep().staging).toContain(dead);
    expect(statSync(stage.path).isDirectory()).toBe(true);
    stage.remove();
    expect(() => statSync(stage.path)).toThrow();
  });
});

describe('doctor', () => {
  it('runs the real thing and tells what holds here', async () => {
    const report = await sandbox.doctor();
    if (!report.ok) {
      // Where no control group can be had the strict policy must be what refuses.
      expect(report.unavailable.cause).toMatch(/cannot hold every limit/);
      return;
    }
    const { outcome } = await sandbox.run({ ...optionsOf({ argv: ['true'] }), limits: roomy });
    const { hostUid: _, ...enforced } = outcome.enforcement;
    expect(report.enforcement).toMatchObject(enforced);
  });
});
