import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { groupName, openCgroups, runnerIdentity } from '../../src/sandbox/cgroup/index.ts';

// Exits 0 where a group limits, counts and kills; run by guest-systemd from several kinds of groups.

const { support, create } = openCgroups();
const group = create({
  name: groupName({ ...runnerIdentity(), serial: 'try' }),
  limits: { memoryBytes: 24 * 1024 * 1024, pids: 8, cpus: 1 },
});
const script = 'read -r word; head -c 80000000 /dev/zero | tail -c 64000000 >/dev/null; sleep 60';
const child = spawn('/bin/sh', ['-c', script], { stdio: ['pipe', 'ignore', 'ignore'] });
await group.addSoon([child.pid ?? 0]);
const exited = once(child, 'exit');
child.stdin.end('go\n');
const [, signal] = await exited;
const { oomKills } = group.counters();
await group.remove();
const held = [support.memory, support.pids, support.cpu].every((enforcer) => enforcer === 'cgroup2');
process.stdout.write(`${JSON.stringify({ support, dirs: group.dirs, oomKills, signal })}\n`);
process.exitCode = held && oomKills > 0 && signal === 'SIGKILL' ? 0 : 1;
