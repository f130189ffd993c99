import { describe, expect, it } from 'vitest';
import { MiB, optionsOf, textOf } from './sandbox.fixture.ts';
import { createSandbox } from './sandbox.ts';
import { resolveToolchain } from './toolchain.ts';

// What programs do that a careless filter would break: threads, processes, their own sockets, memory of many kinds.

const sandbox = createSandbox();

async function runWith(program: string, ...args: string[]) {
  const toolchain = await resolveToolchain({ program, cwd: import.meta.dirname });
  const { outcome } = await sandbox.run(
    optionsOf({
      argv: [toolchain.program, ...args],
      policy: { toolchains: [toolchain] },
      // Where an rlimit stands in for a group it counts what Node reserves, half a GiB a worker.
      limits: { memoryBytes: 2048 * MiB, pids: 128, openFiles: 1024 },
    }),
  );
  return { reason: outcome.reason, exitCode: outcome.exitCode, said: textOf(outcome) };
}

const node = `
import { Worker } from 'node:worker_threads';
import { execFileSync, fork } from 'node:child_process';
import { once } from 'node:events';
import { createServer, connect } from 'node:net';
import { networkInterfaces } from 'node:os';
const worker = new Worker(new URL('data:text/javascript,import { parentPort } from "node:worker_threads"; parentPort.postMessage("worker")'));
console.log((await once(worker, 'message'))[0]);
console.log(execFileSync('echo', ['child'], { encoding: 'utf8' }).trim());
const server = createServer((socket) => socket.end('socket'));
await once(server.listen(0, '127.0.0.1'), 'listening');
const [data] = await once(connect(server.address().port, '127.0.0.1'), 'data');
console.log(String(data), Object.keys(networkInterfaces()).join());
server.close();
`;

const python = `
import asyncio, concurrent.futures, multiprocessing, mmap, socket, subprocess, sys, threading
def square(n): return n * n
async def ask():
    child = await asyncio.create_subprocess_exec('echo', 'asyncio', stdout=subprocess.PIPE)
    return (await child.communicate())[0].decode().strip()
if __name__ == '__main__':
    with multiprocessing.Pool(2) as pool: print(pool.map(square, [1, 2, 3]))
    with concurrent.futures.ThreadPoolExecutor(4) as pool: print(sum(pool.map(square, range(4))))
    print(asyncio.run(ask()))
    queue = multiprocessing.get_context('spawn').SimpleQueue()
    queue.put('queue'); print(queue.get())
    print(len(mmap.mmap(-1, 1 << 20)), socket.socketpair()[0].family.name)
`;

const c = `
#include <pthread.h>
#include <stdio.h>
#include <sys/ipc.h>
#include <sys/shm.h>
#include <unistd.h>
static void *run(void *name) { puts(name); return 0; }
int main(void) {
  pthread_t thread;
  if (pthread_create(&thread, 0, run, "thread")) return 1;
  pthread_join(thread, 0);
  int id = shmget(IPC_PRIVATE, 4096, 0600);
  printf("shm %d\\n", id >= 0 && shmat(id, 0, 0) != (void *)-1);
  return 0;
}
`;

describe('under the filter', () => {
  it('Node has workers, children, a loopback and its own interfaces', async () => {
    const { said, exitCode } = await runWith(process.execPath, '--input-type=module', '-e', node);
    expect({ said, exitCode }).toEqual({ said: 'worker\nchild\nsocket lo\n', exitCode: 0 });
  });

  it('Python has processes, threads, asyncio children and shared memory', async () => {
    const script = `cat > /tmp/all.py <<'PY'\n${python}\nPY\nexec "$0" /tmp/all.py`;
    const toolchain = await resolveToolchain({ program: 'python3', cwd: import.meta.dirname });
    const { outcome } = await sandbox.run(
      optionsOf({
        argv: ['/bin/sh', '-c', script, toolchain.program],
        policy: { toolchains: [toolchain] },
        limits: { pids: 128, tmpBytes: 64 * MiB },
      }),
    );
    expect(textOf(outcome)).toBe('[1, 4, 9]\n14\nasyncio\nqueue\n1048576 AF_UNIX\n');
  });

  it('a compiler compiles, and what it made has threads and System V shared memory', async () => {
    const script = `command -v cc >/dev/null || { echo no compiler; exit; }
cat > /tmp/a.c <<'C'\n${c}\nC\ncc -pthread -o /tmp/a /tmp/a.c && exec /tmp/a`;
    const { outcome } = await sandbox.run(
      optionsOf({ argv: ['/bin/sh', '-c', script], limits: { tmpBytes: 64 * MiB } }),
    );
    expect(textOf(outcome)).toMatch(/^(thread\nshm 1|no compiler)\n$/);
  });
});
