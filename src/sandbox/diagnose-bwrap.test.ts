import { describe, expect, it } from 'vitest';
import { diagnoseBwrap } from './diagnose-bwrap.ts';

const machine = { isRoot: false, inContainer: false };

/** Words of bwrap 0.4 to 0.11, from real machines and public threads. */
const recorded: [string, { cause: RegExp; fix: RegExp }][] = [
  ['bwrap: setting up uid map: Permission denied', { cause: /AppArmor/, fix: /apparmor\.d/ }],
  ['bwrap: loopback: Failed RTM_NEWADDR: Operation not permitted', { cause: /AppArmor/, fix: /userns/ }],
  [
    "bwrap: No permissions to create new namespace, likely because the kernel does not allow non-privileged user namespaces. On e.g. debian this can be enabled with 'sysctl kernel.unprivileged_userns_clone=1'.",
    { cause: /ordinary users/, fix: /unprivileged_userns_clone=1/ },
  ],
  [
    'bwrap: Creating new namespace failed: nesting depth or /proc/sys/user/max_*_namespaces exceeded (ENOSPC)',
    { cause: /limit on user namespaces/, fix: /user\.max_user_namespaces/ },
  ],
  [
    'bwrap: Creating new namespace failed: Operation not permitted',
    { cause: /container/, fix: /seccomp=unconfined/ },
  ],
  [
    "bwrap: Can't mount proc on /newroot/proc: Operation not permitted",
    { cause: /\/proc/, fix: /systempaths=unconfined/ },
  ],
  ['bwrap: Failed to make / slave: Operation not permitted', { cause: /mount/, fix: /privileged/ }],
  ['bwrap: setting up gid map: Operation not permitted', { cause: /mapped/, fix: /namespace/ }],
  ['bwrap: Unknown option --size', { cause: /too old.*--size/, fix: /0\.8/ }],
  [
    "bwrap: Can't find source path /home/me/p: No such file or directory",
    { cause: /\/home\/me\/p .*does not exist/, fix: /Restore/ },
  ],
  ["bwrap: Can't mkdir /usr/app: Read-only file system", { cause: /\/usr\/app/, fix: /out of that folder/ }],
  [
    'setpriv: setresuid failed: Invalid argument',
    { cause: /drop its rights.*setresuid/, fix: /capabilities/ },
  ],
  ['bwrap: execvp /bin/sh: No such file or directory', { cause: /\/usr/, fix: /distribution/ }],
];

describe('diagnoseBwrap', () => {
  it.each(recorded)('explains: %s', (stderr, { cause, fix }) => {
    const unavailable = diagnoseBwrap(`${stderr}\n`, machine);
    expect(unavailable.cause).toMatch(cause);
    expect(unavailable.fix).toMatch(fix);
  });

  it('tells a container from a whole machine', () => {
    const stderr = 'bwrap: No permissions to create new namespace';
    expect(diagnoseBwrap(stderr, { ...machine, inContainer: true }).fix).toMatch(/--security-opt/);
    expect(diagnoseBwrap(stderr, machine).fix).toMatch(/sysctl/);
  });

  it('tells root without rights from an ordinary user', () => {
    const stderr = 'bwrap: Creating new namespace failed: Operation not permitted';
    expect(diagnoseBwrap(stderr, { ...machine, isRoot: true }).cause).toMatch(/CAP_SYS_ADMIN/);
  });

  it('passes on words it never saw', () => {
    expect(diagnoseBwrap('bwrap: Frobnication failed\n', machine).cause).toContain('Frobnication failed');
    expect(diagnoseBwrap('', machine).cause).toMatch(/without a word/);
  });
});
