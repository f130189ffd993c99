/** What differs between machines: the audit architecture, and the numbers of the calls the filter names. */
export type SyscallTable = {
  /** AUDIT_ARCH_* of linux/audit.h. */
  auditArch: number;
  /** Numbers from here on belong to a second ABI of the same machine (x32); null where there is none. */
  foreignNumbersFrom: number | null;
  numbers: Partial<Record<Syscall, number>>;
};

export type Syscall = keyof typeof x64Numbers;

const x64Numbers = {
  ioctl: 16,
  socket: 41,
  socketpair: 53,
  clone: 56,
  ptrace: 101,
  syslog: 103,
  uselib: 134,
  personality: 135,
  ustat: 136,
  sysfs: 139,
  vhangup: 153,
  modify_ldt: 154,
  pivot_root: 155,
  _sysctl: 156,
  chroot: 161,
  acct: 163,
  settimeofday: 164,
  mount: 165,
  umount2: 166,
  swapon: 167,
  swapoff: 168,
  reboot: 169,
  sethostname: 170,
  setdomainname: 171,
  iopl: 172,
  ioperm: 173,
  create_module: 174,
  init_module: 175,
  delete_module: 176,
  get_kernel_syms: 177,
  query_module: 178,
  quotactl: 179,
  nfsservctl: 180,
  lookup_dcookie: 212,
  clock_settime: 227,
  kexec_load: 246,
  add_key: 248,
  request_key: 249,
  keyctl: 250,
  unshare: 272,
  perf_event_open: 298,
  fanotify_init: 300,
  name_to_handle_at: 303,
  open_by_handle_at: 304,
  setns: 308,
  process_vm_readv: 310,
  process_vm_writev: 311,
  kcmp: 312,
  finit_module: 313,
  kexec_file_load: 320,
  bpf: 321,
  userfaultfd: 323,
  io_uring_setup: 425,
  io_uring_enter: 426,
  io_uring_register: 427,
  open_tree: 428,
  move_mount: 429,
  fsopen: 430,
  fsconfig: 431,
  fsmount: 432,
  fspick: 433,
  clone3: 435,
  pidfd_getfd: 438,
  process_madvise: 440,
  mount_setattr: 442,
  quotactl_fd: 443,
  memfd_secret: 447,
  open_tree_attr: 467,
};

/** From arch/x86/entry/syscalls/syscall_64.tbl of Linux. */
export const x64: SyscallTable = {
  auditArch: 0xc000003e,
  foreignNumbersFrom: 0x40000000,
  numbers: x64Numbers,
};

/** From include/uapi/asm-generic/unistd.h of Linux. */
export const arm64: SyscallTable = {
  auditArch: 0xc00000b7,
  foreignNumbersFrom: null,
  numbers: {
    lookup_dcookie: 18,
    ioctl: 29,
    umount2: 39,
    mount: 40,
    pivot_root: 41,
    nfsservctl: 42,
    chroot: 51,
    vhangup: 58,
    quotactl: 60,
    acct: 89,
    personality: 92,
    unshare: 97,
    kexec_load: 104,
    init_module: 105,
    delete_module: 106,
    clock_settime: 112,
    syslog: 116,
    ptrace: 117,
    reboot: 142,
    sethostname: 161,
    setdomainname: 162,
    settimeofday: 170,
    socket: 198,
    socketpair: 199,
    add_key: 217,
    request_key: 218,
    keyctl: 219,
    clone: 220,
    swapon: 224,
    swapoff: 225,
    perf_event_open: 241,
    fanotify_init: 262,
    name_to_handle_at: 264,
    open_by_handle_at: 265,
    setns: 268,
    process_vm_readv: 270,
    process_vm_writev: 271,
    kcmp: 272,
    finit_module: 273,
    bpf: 280,
    userfaultfd: 282,
    kexec_file_load: 294,
    io_uring_setup: 425,
    io_uring_enter: 426,
    io_uring_register: 427,
    open_tree: 428,
    move_mount: 429,
    fsopen: 430,
    fsconfig: 431,
    fsmount: 432,
    fspick: 433,
    clone3: 435,
    pidfd_getfd: 438,
    process_madvise: 440,
    mount_setattr: 442,
    quotactl_fd: 443,
    memfd_secret: 447,
    open_tree_attr: 467,
  },
};

/** null for a machine without a table: the sandbox is then refused, never run unfiltered. */
export function syscallTable(arch: string): SyscallTable | null {
  switch (arch) {
    case 'x64':
      return x64;
    case 'arm64':
      return arm64;
    default:
      return null;
  }
}
