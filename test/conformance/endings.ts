import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { networkInterfaces } from 'node:os';
import { expect } from 'vitest';
import { dataOf, printed, ran, shownValue, started } from './checks.ts';
import type { Behaviour } from './conformance.ts';

export const endings: readonly Behaviour[] = [
  {
    name: 'notices at once that its process has ended, and goes on with a fresh one',
    async check(kernel) {
      await ran(kernel, 'lost = 1');
      const result = await kernel.execute('import os\nprint("last words", flush=True)\nos._exit(7)');
      expect(result.end.status).toBe('died');
      expect((await kernel.execute('lost')).end).toMatchObject({ status: 'error', ename: 'NameError' });
    },
  },
  {
    name: 'tells an exit code from a signal',
    needs: 'deathCause',
    async check(kernel) {
      const exit = await kernel.execute('import os; os._exit(7)');
      expect(exit.end).toMatchObject({
        status: 'died',
        cause: 'exited',
        detail: expect.stringContaining('7'),
      });
      const crash = await kernel.execute('import ctypes; ctypes.string_at(0)');
      expect(crash.end).toMatchObject({
        status: 'died',
        cause: 'signaled',
        detail: expect.stringContaining('SIGSEGV'),
      });
      await ran(kernel, '1');
    },
  },
  {
    name: 'tells that memory ran out',
    needs: 'memory',
    own: { limits: { memoryBytes: 300 * 2 ** 20 } },
    async check(kernel) {
      const { end } = await kernel.execute('held = []\nwhile True: held.append(bytearray(2**24))');
      // Where no control group counts, the allocation fails instead.
      if (end.status === 'error') expect(end.ename).toBe('MemoryError');
      else expect(end).toMatchObject({ status: 'died', cause: 'oom' });
      await ran(kernel, '1');
    },
  },
  {
    name: 'lets no cell have more processes than its limit',
    needs: 'memory',
    own: { limits: { pids: 100 } },
    async check(kernel) {
      const code = [
        'import subprocess',
        'begun = []',
        'try:',
        '    for _ in range(200): begun.append(subprocess.Popen(["sleep", "60"]))',
        'except OSError as error: print(type(error).__name__)',
        'count = len(begun)',
        'for one in begun: one.kill()',
        'for one in begun: _ = one.wait()',
        'count',
      ];
      const result = await kernel.execute(code.join('\n'));
      expect(result.end).toEqual({ status: 'ok' });
      expect(printed(result)).toContain('BlockingIOError');
      const shown = result.outputs.findLast((output) => output.output_type === 'execute_result');
      expect(Number(dataOf(shown)['text/plain'])).toBeLessThan(100);
      await ran(kernel, '1');
    },
  },
  {
    name: 'does not run a cell on a kernel that died in the meantime, and says so',
    needs: 'deathCause',
    async check(kernel) {
      await ran(kernel, 'import os, threading\nthreading.Timer(0.3, lambda: os._exit(5)).start()');
      await new Promise((resolve) => setTimeout(resolve, 2000));
      const { end } = await kernel.execute('open("ran.txt", "w").write("x")');
      expect(end).toMatchObject({ status: 'died', detail: expect.stringContaining('was not run') });
      expect((await kernel.files.list()).some(({ path }) => path === 'ran.txt')).toBe(false);
      await ran(kernel, '1');
    },
  },
  {
    name: 'kills what a cell left running when it starts anew',
    needs: 'killsAll',
    async check(kernel) {
      const result = await ran(
        kernel,
        'import subprocess\nsubprocess.Popen(["setsid", "sh", "-c", "while :; do date +%N > beat.txt; sleep 0.05; done"])\nimport time\ntime.sleep(0.5)\nprint(open("beat.txt").read())',
      );
      expect(printed(result)).toMatch(/\d/);
      await kernel.restart();
      const beat = async () => (await kernel.files.list()).find(({ path }) => path === 'beat.txt')?.sha256;
      const before = await beat();
      await new Promise((resolve) => setTimeout(resolve, 500));
      expect(await beat()).toBe(before);
    },
  },
  {
    name: 'has no network',
    async check(kernel) {
      const addresses = Object.values(networkInterfaces())
        .flatMap((all) => all ?? [])
        .filter((one) => one.family === 'IPv4')
        .map(({ address }) => address);
      const listener = createServer((socket) => socket.destroy()).listen(0);
      try {
        await once(listener, 'listening');
        const { port } = listener.address() as AddressInfo;
        // The test machine itself reaches it at each of them, or that the code does not would show nothing.
        await Promise.all(addresses.map((host) => once(connect({ host, port }), 'connect')));
        const code = [
          'import socket',
          'def tried(host, port):',
          '    try: socket.create_connection((host, port), timeout=3).close()',
          '    except OSError as error: return "refused"',
          '    return "connected"',
          `set(tried(host, ${port}) for host in ${JSON.stringify(addresses)}) | {tried("1.1.1.1", 53)}`,
        ];
        expect(await shownValue(kernel, code.join('\n'))).toBe("{'refused'}");
      } finally {
        listener.close();
      }
    },
  },
  {
    name: 'ends the cell that runs when it is closed, twice is once, and takes no more',
    own: {},
    async check(kernel) {
      const { onOutput, isRunning } = started();
      const cell = kernel.execute('print(1, flush=True)\nwhile True: pass', { onOutput });
      await isRunning;
      await Promise.all([kernel.close(), kernel.close()]);
      expect((await cell).end.status).toBe('unavailable');
      expect((await kernel.execute('1')).end.status).toBe('unavailable');
      await expect(kernel.restart()).rejects.toMatchObject({ code: 'environment' });
    },
  },
];
