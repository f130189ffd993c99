import { posix } from 'node:path';

/** One mounted cgroup hierarchy and the runner's own group in it. */
export type Hierarchy = {
  version: 1 | 2;
  /** Controllers bound to a v1 hierarchy; empty for v2, whose controllers a group lists itself. */
  controllers: string[];
  mountPoint: string;
  /** The runner's own group, as a folder. */
  ownDir: string;
};

type Membership = { version: 1 | 2; controllers: string[]; path: string };

/**
 * The hierarchies the runner is a member of and can reach through a mount, from the texts of
 * /proc/self/mountinfo and /proc/self/cgroup (proc(5), cgroups(7)).
 */
export function readLayout(options: { mountinfo: string; selfCgroup: string }): Hierarchy[] {
  const memberships = options.selfCgroup.split('\n').flatMap(parseMembership);
  const hierarchies: Hierarchy[] = [];
  const seen = new Set<string>();
  for (const mount of options.mountinfo.split('\n').flatMap(parseMount)) {
    const member = memberships.find((m) => m.version === mount.version && sameControllers(m, mount));
    if (member === undefined) continue;
    const below = belowRoot(member.path, mount.root);
    const key = `${member.version}:${member.controllers.join()}`;
    if (below === null || seen.has(key)) continue;
    seen.add(key);
    hierarchies.push({
      version: mount.version,
      controllers: member.controllers,
      mountPoint: mount.mountPoint,
      ownDir: posix.join(mount.mountPoint, below),
    });
  }
  return hierarchies;
}

function parseMembership(line: string): Membership[] {
  const match = /^(\d+):([^:]*):(\/.*)$/.exec(line);
  const [, id, controllers, path] = match ?? [];
  if (id === undefined || controllers === undefined || path === undefined) return [];
  if (id === '0') return [{ version: 2, controllers: [], path }];
  // A named hierarchy (systemd's) has no controllers, so nothing to enforce.
  if (controllers.startsWith('name=')) return [];
  return [{ version: 1, controllers: controllers.split(','), path }];
}

type Mount = { version: 1 | 2; root: string; mountPoint: string; superOptions: string[] };

function parseMount(line: string): Mount[] {
  const [left, right] = line.split(' - ');
  const [, , , root, mountPoint] = left?.split(' ') ?? [];
  const [type, , superOptions] = right?.split(' ') ?? [];
  if (root === undefined || mountPoint === undefined) return [];
  if (type !== 'cgroup' && type !== 'cgroup2') return [];
  return [
    {
      version: type === 'cgroup2' ? 2 : 1,
      root: unescapeOctal(root),
      mountPoint: unescapeOctal(mountPoint),
      superOptions: superOptions?.split(',') ?? [],
    },
  ];
}

function sameControllers(member: Membership, mount: Mount): boolean {
  return member.controllers.every((controller) => mount.superOptions.includes(controller));
}

/** The member's path relative to what is mounted; null where the mount does not show the member's group. */
function belowRoot(path: string, root: string): string | null {
  const relative = posix.relative(root, path);
  return relative === '..' || relative.startsWith('../') ? null : relative;
}

function unescapeOctal(text: string): string {
  return text.replace(/\\([0-7]{3})/g, (_, digits: string) =>
    String.fromCharCode(Number.parseInt(digits, 8)),
  );
}
