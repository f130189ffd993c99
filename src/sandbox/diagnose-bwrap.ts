import type { Unavailable } from '../core/index.ts';

/** What tells apart causes for which bwrap has the same words. */
export type MachineFacts = { isRoot: boolean; inContainer: boolean };

type Row = { pattern: RegExp; explain: (facts: MachineFacts, match: RegExpExecArray) => Unavailable };

const dockerFix =
  'Start the container with `--security-opt seccomp=unconfined --security-opt systempaths=unconfined`, or with `--privileged`';

const appArmor: Unavailable = {
  cause:
    'AppArmor keeps bwrap from using the user namespace it made (kernel.apparmor_restrict_unprivileged_userns)',
  fix: 'Allow bwrap: put `abi <abi/4.0>, profile bwrap /usr/bin/bwrap flags=(unconfined) { userns, }` into /etc/apparmor.d/bwrap and run `sudo apparmor_parser -r /etc/apparmor.d/bwrap`',
};

/** bwrap's own words, as recorded on real machines and in public threads, most telling first. */
const table: readonly Row[] = [
  {
    pattern: /Unknown option (--\S+)/,
    explain: (_, [, option]) => ({
      cause: `this bubblewrap is too old: it does not know ${option}`,
      fix: 'Install bubblewrap 0.8 or newer (Debian 12, Ubuntu 24.04, Fedora 38 and later have it)',
    }),
  },
  { pattern: /setting up uid map: Permission denied|loopback: Failed RTM_NEWADDR/, explain: () => appArmor },
  {
    pattern: /max_\*_namespaces exceeded|\(ENOSPC\)|No space left on device.*namespace/,
    explain: () => ({
      cause: 'the limit on user namespaces is used up or 0',
      fix: 'Raise it: `sudo sysctl -w user.max_user_namespaces=15000`',
    }),
  },
  {
    pattern: /No permissions to create a? ?new namespace/,
    explain: ({ inContainer }) =>
      inContainer
        ? { cause: 'this container does not let programs make namespaces', fix: dockerFix }
        : {
            cause: 'the kernel does not let ordinary users make user namespaces',
            fix: 'Allow it: `sudo sysctl -w kernel.unprivileged_userns_clone=1`, or start assay as root',
          },
  },
  {
    pattern: /Creating new namespace failed: (Operation not permitted|Permission denied)/,
    explain: ({ isRoot }) => ({
      cause: isRoot
        ? 'this root may not make namespaces: it lacks CAP_SYS_ADMIN, as in a container without privileges'
        : 'a seccomp filter or policy keeps this process from making namespaces, as in a container without privileges',
      fix: dockerFix,
    }),
  },
  {
    pattern:
      /Creating new namespace failed: Invalid argument|Creating new namespace failed: .*not implemented/,
    explain: () => ({
      cause: 'this kernel was built without one of the namespaces a sandbox needs',
      fix: 'Use a kernel with CONFIG_USER_NS, CONFIG_PID_NS, CONFIG_NET_NS, CONFIG_IPC_NS, CONFIG_UTS_NS and CONFIG_CGROUPS',
    }),
  },
  {
    pattern: /Can't mount proc on .*: (Operation not permitted|Permission denied)/,
    explain: () => ({
      cause: 'a new /proc cannot be mounted, as parts of the one here are masked (usual in containers)',
      fix: 'Start the container with `--security-opt systempaths=unconfined`, or with `--privileged`',
    }),
  },
  {
    pattern:
      /(?:Failed to make \/ slave|Failed to mount tmpfs|pivot_root).*: (Operation not permitted|Permission denied)/,
    explain: () => ({
      cause: 'this process may not mount, not even in a namespace of its own',
      fix: dockerFix,
    }),
  },
  {
    pattern: /setting up (?:uid|gid) map: Operation not permitted|setgroups.*(?:Permission denied|EACCES)/,
    explain: () => ({
      cause: 'uids cannot be mapped: this process already is in a user namespace that forbids it',
      fix: 'Start assay outside that namespace, or as the root of a privileged container',
    }),
  },
  {
    pattern: /Can't find source path (.+): No such file or directory/,
    explain: (_, [, path]) => ({
      cause: `${path} is to be mounted into the sandbox and does not exist`,
      fix: 'Restore it, or run again so that what is mounted is looked up anew',
    }),
  },
  {
    pattern:
      /Can't (?:mkdir|create file at|mkdir parents for) (\S+): (Read-only file system|Permission denied)/,
    explain: (_, [, path]) => ({
      cause: `${path} cannot be made a mount point: it lies in a folder that is mounted read-only and does not exist there`,
      fix: 'Move the workspace out of that folder',
    }),
  },
  {
    pattern: /(?:prctl|seccomp).*Invalid argument/,
    explain: () => ({
      cause: 'this kernel does not take system call filters',
      fix: 'Use a kernel with CONFIG_SECCOMP_FILTER',
    }),
  },
  {
    pattern: /setpriv: (.+)/,
    explain: ({ inContainer }, [, said]) => ({
      cause: `root cannot drop its rights inside the sandbox: ${said}`,
      fix: inContainer ? dockerFix : "Start assay with all of root's capabilities, or as an ordinary user",
    }),
  },
  {
    pattern: /(?:cannot create|write error|tasks:).*/,
    explain: (_, [said]) => ({
      cause: `the sandbox could not enter its control group: ${said}`,
      fix: 'Run `assay doctor` to see which control groups this machine lets you use',
    }),
  },
  {
    pattern: /error while loading shared libraries|execvp .*\/(?:sh|bash|setpriv)/,
    explain: () => ({
      cause:
        'the system programs under /usr cannot run in the sandbox: this machine keeps parts of them elsewhere',
      fix: 'Use a distribution whose programs lie under /usr (Debian, Ubuntu, Fedora, Arch, Alpine)',
    }),
  },
];

/** One cause and one fix for a sandbox that was never built, from what bwrap wrote to stderr. */
export function diagnoseBwrap(stderr: string, facts: MachineFacts): Unavailable {
  for (const { pattern, explain } of table) {
    const match = pattern.exec(stderr);
    if (match !== null) return explain(facts, match);
  }
  const said = stderr.trim();
  return {
    cause:
      said === ''
        ? 'bwrap ended without a word and without a sandbox'
        : `the sandbox could not be built: ${said}`,
    fix: 'Run bwrap by hand (`bwrap --unshare-all --ro-bind / / true`) to see whether it works on this machine at all',
  };
}
