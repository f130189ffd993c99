import { describe, expect, it } from 'vitest';
import { readLayout } from './layout.ts';

const hybridMounts = `31 23 0:28 / /sys/fs/cgroup rw,relatime - tmpfs tmpfs rw,mode=755
32 31 0:29 / /sys/fs/cgroup/cpu,cpuacct rw,relatime - cgroup cgroup rw,cpu,cpuacct
35 31 0:32 / /sys/fs/cgroup/memory rw,relatime shared:7 - cgroup cgroup rw,memory
39 31 0:36 / /sys/fs/cgroup/pids rw,relatime - cgroup cgroup rw,pids
40 31 0:37 / /sys/fs/cgroup/systemd rw,relatime - cgroup cgroup rw,xattr,name=systemd
41 31 0:38 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw,nsdelegate`;

describe('readLayout', () => {
  it('finds the own group in each hierarchy of a hybrid machine', () => {
    const selfCgroup = '9:name=systemd:/\n8:pids:/a\n4:memory:/a/b\n2:cpu,cpuacct:/\n0::/user.slice\n';
    expect(readLayout({ mountinfo: hybridMounts, selfCgroup })).toEqual([
      {
        version: 1,
        controllers: ['cpu', 'cpuacct'],
        mountPoint: '/sys/fs/cgroup/cpu,cpuacct',
        ownDir: '/sys/fs/cgroup/cpu,cpuacct',
      },
      {
        version: 1,
        controllers: ['memory'],
        mountPoint: '/sys/fs/cgroup/memory',
        ownDir: '/sys/fs/cgroup/memory/a/b',
      },
      {
        version: 1,
        controllers: ['pids'],
        mountPoint: '/sys/fs/cgroup/pids',
        ownDir: '/sys/fs/cgroup/pids/a',
      },
      {
        version: 2,
        controllers: [],
        mountPoint: '/sys/fs/cgroup/unified',
        ownDir: '/sys/fs/cgroup/unified/user.slice',
      },
    ]);
  });

  it('counts the own path from what a container mounts', () => {
    const mountinfo = '9 8 0:30 /docker/c1 /sys/fs/cgroup ro,nosuid - cgroup2 cgroup rw';
    const ownDir = (path: string) =>
      readLayout({ mountinfo, selfCgroup: `0::${path}\n` }).map((h) => h.ownDir);
    expect(ownDir('/docker/c1')).toEqual(['/sys/fs/cgroup']);
    expect(ownDir('/docker/c1/sub')).toEqual(['/sys/fs/cgroup/sub']);
  });

  it('leaves out a hierarchy whose mount does not show the own group', () => {
    const mountinfo = '9 8 0:30 /docker/c1 /sys/fs/cgroup ro - cgroup2 cgroup rw';
    expect(readLayout({ mountinfo, selfCgroup: '0::/docker/c12\n' })).toEqual([]);
    expect(readLayout({ mountinfo, selfCgroup: '0::/\n' })).toEqual([]);
  });

  it('takes the first of two mounts, and reads escaped blanks', () => {
    const mountinfo = [
      '9 8 0:30 / /mnt/my\\040groups rw - cgroup2 cgroup rw',
      '10 8 0:30 / /sys/fs/cgroup rw - cgroup2 cgroup rw',
    ].join('\n');
    const [hierarchy, ...others] = readLayout({ mountinfo, selfCgroup: '0::/x\n' });
    expect(hierarchy?.ownDir).toBe('/mnt/my groups/x');
    expect(others).toEqual([]);
  });

  it.each(['', 'nonsense', '0::', ':::', '1 2 3 - cgroup2'])('finds nothing in %j', (text) => {
    expect(readLayout({ mountinfo: text, selfCgroup: text })).toEqual([]);
  });
});
