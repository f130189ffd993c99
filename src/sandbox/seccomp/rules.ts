import type { Syscall } from './syscalls.ts';

/** Linux errno values; the same on every supported machine. */
export const errno = { EPERM: 1, ENOSYS: 38, EAFNOSUPPORT: 97 };

/** Looks at the low 32 bits of an argument: the kernel reads no more of any argument named here. */
export type Condition = { argument: number; test: 'equal' | 'anySet'; value: number };

/** Applies where all conditions hold. `null` lets the call through, a number is the errno it fails with. */
export type Check = { when: readonly Condition[]; refusal: number | null };

export type Rule = {
  calls: readonly Syscall[];
  /** Tried in order; the first that applies decides. */
  checks: readonly Check[];
  /** Where no check applies. */
  otherwise: number | null;
};

/** CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET. */
const newNamespaces = 0x7e020000;
/** Only unshare and clone3 take it: for clone its bit belongs to the exit signal. */
const newTimeNamespace = 0x80;

const family = { unix: 1, inet: 2, inet6: 10, netlink: 16 };
const netlinkRoute = 0;

/** Values that only tell or restore the ordinary personality, and two that run old programs of the same machine. */
const harmlessPersonalities = [0, 0x8, 0x20000, 0x20008, 0xffffffff];

/** Pushing bytes into a terminal's input, and pasting on the console. */
const terminalInjection = [0x5412, 0x541c];

/**
 * Everything else is allowed: the namespaces, the uid and the missing capabilities confine it. Refused is what reaches
 * other processes, what reaches kernel code that unprivileged programs seldom need and that had holes, and what would
 * undo the sandbox.
 */
export const rules: readonly Rule[] = [
  {
    // ENOSYS makes glibc, libuv, Go and tokio fall back to the older call. The flags of clone3 lie in memory, where
    // a filter cannot read them.
    calls: ['clone3', 'io_uring_setup', 'io_uring_enter', 'io_uring_register'],
    checks: [],
    otherwise: errno.ENOSYS,
  },
  {
    calls: ['ptrace', 'process_vm_readv', 'process_vm_writev', 'pidfd_getfd', 'kcmp', 'process_madvise'],
    checks: [],
    otherwise: errno.EPERM,
  },
  {
    calls: ['bpf', 'perf_event_open', 'userfaultfd', 'fanotify_init', 'lookup_dcookie', 'memfd_secret'],
    checks: [],
    otherwise: errno.EPERM,
  },
  { calls: ['keyctl', 'add_key', 'request_key'], checks: [], otherwise: errno.EPERM },
  {
    calls: [
      'mount',
      'umount2',
      'pivot_root',
      'chroot',
      'fsopen',
      'fsconfig',
      'fsmount',
      'fspick',
      'move_mount',
      'open_tree',
      'open_tree_attr',
      'mount_setattr',
      'name_to_handle_at',
      'open_by_handle_at',
      'quotactl',
      'quotactl_fd',
      'nfsservctl',
      'ustat',
      'sysfs',
    ],
    checks: [],
    otherwise: errno.EPERM,
  },
  { calls: ['setns'], checks: [], otherwise: errno.EPERM },
  {
    calls: ['clone'],
    checks: [{ when: [{ argument: 0, test: 'anySet', value: newNamespaces }], refusal: errno.EPERM }],
    otherwise: null,
  },
  {
    calls: ['unshare'],
    checks: [
      {
        when: [{ argument: 0, test: 'anySet', value: newNamespaces | newTimeNamespace }],
        refusal: errno.EPERM,
      },
    ],
    otherwise: null,
  },
  {
    calls: [
      'kexec_load',
      'kexec_file_load',
      'init_module',
      'finit_module',
      'delete_module',
      'create_module',
      'query_module',
      'get_kernel_syms',
      'reboot',
      'swapon',
      'swapoff',
      'acct',
      'syslog',
      'sethostname',
      'setdomainname',
      'settimeofday',
      'clock_settime',
      'iopl',
      'ioperm',
      'modify_ldt',
      'uselib',
      '_sysctl',
      'vhangup',
    ],
    checks: [],
    otherwise: errno.EPERM,
  },
  {
    calls: ['personality'],
    checks: harmlessPersonalities.map((value) => ({ when: [is(0, value)], refusal: null })),
    otherwise: errno.EPERM,
  },
  {
    calls: ['ioctl'],
    checks: terminalInjection.map((value) => ({ when: [is(1, value)], refusal: errno.EPERM })),
    otherwise: null,
  },
  {
    // No vsock (reaches the hypervisor), packet, kernel crypto or other families; of netlink only what lists
    // network interfaces. The network namespace has none but its own loopback.
    calls: ['socket'],
    checks: [
      { when: [is(0, family.unix)], refusal: null },
      { when: [is(0, family.inet)], refusal: null },
      { when: [is(0, family.inet6)], refusal: null },
      { when: [is(0, family.netlink), is(2, netlinkRoute)], refusal: null },
    ],
    otherwise: errno.EAFNOSUPPORT,
  },
  {
    calls: ['socketpair'],
    checks: [{ when: [is(0, family.unix)], refusal: null }],
    otherwise: errno.EAFNOSUPPORT,
  },
];

function is(argument: number, value: number): Condition {
  return { argument, test: 'equal', value };
}
