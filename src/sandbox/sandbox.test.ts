import { mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { inWorkspace, MiB, optionsOf, roomy, sandboxFixture, workspace } from './sandbox.fixture.ts';

const { cleanUp, folderWith, run, sandbox, shell } = sandboxFixture();

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
    // The last one is the sandbox's own, where memory is held by an rlimit.
    const own = ['HOME', 'LANG', 'PATH', 'PWD', 'OLDPWD', 'SHLVL', '_', 'OPENBLAS_NUM_THREADS'];
    expect(names.filter((name) => !own.includes(name ?? ''))).toEqual([]);
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
    cleanUp(() => stage.remove());
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
