import { expect } from 'vitest';
import { ran, shownValue, started } from './checks.ts';
import type { Behaviour } from './conformance.ts';

const forever = 'print("running", flush=True)\nwhile True: pass';

export const stopping: readonly Behaviour[] = [
  {
    name: 'interrupts a cell at its deadline, and keeps variables',
    needs: 'interrupts',
    async check(kernel) {
      await ran(kernel, 'alive = 1');
      const { end, outputs } = await kernel.execute(forever, { deadlineMs: 700 });
      expect(end).toEqual({ status: 'timeout', deadlineMs: 700, stateLost: false });
      expect(outputs[0]).toMatchObject({ text: 'running\n' });
      expect(await shownValue(kernel, 'alive')).toBe('1');
    },
  },
  {
    name: 'ends a cell that sleeps',
    async check(kernel) {
      const { end } = await kernel.execute('import time; time.sleep(3600)', { deadlineMs: 300 });
      expect(end).toMatchObject({ status: 'timeout', deadlineMs: 300 });
      await ran(kernel, '1');
    },
  },
  {
    name: 'ends a cell that waits for a program',
    async check(kernel) {
      const { end } = await kernel.execute('import subprocess; subprocess.run(["sleep", "3600"])', {
        deadlineMs: 300,
      });
      expect(end.status).toBe('timeout');
      await ran(kernel, '1');
    },
  },
  {
    name: 'calls a cell that swallows the interrupt a timeout all the same',
    needs: 'interrupts',
    async check(kernel) {
      const { end } = await kernel.execute(
        'import time\ntry:\n    time.sleep(3600)\nexcept KeyboardInterrupt:\n    caught = True',
        {
          deadlineMs: 300,
        },
      );
      expect(end).toEqual({ status: 'timeout', deadlineMs: 300, stateLost: false });
      expect(await shownValue(kernel, 'caught')).toBe('True');
    },
  },
  {
    name: 'ends a cell that listens to no interrupt with the kernel, and says that state is lost',
    async check(kernel) {
      await ran(kernel, 'lost = 1');
      const { end } = await kernel.execute(
        'import signal\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\nwhile True: pass',
        { deadlineMs: 500 },
      );
      expect(end).toEqual({ status: 'timeout', deadlineMs: 500, stateLost: true });
      expect((await kernel.execute('lost')).end).toMatchObject({ status: 'error', ename: 'NameError' });
    },
  },
  {
    name: 'interrupts a cell when its signal aborts',
    async check(kernel) {
      const abort = new AbortController();
      const { onOutput, isRunning } = started();
      const cell = kernel.execute(forever, { signal: abort.signal, onOutput });
      await isRunning;
      abort.abort();
      expect((await cell).end.status).toBe('interrupted');
      await ran(kernel, '1');
    },
  },
  {
    name: 'does not run a cell whose signal has aborted',
    async check(kernel) {
      const { end } = await kernel.execute('never = 1', { signal: AbortSignal.abort() });
      expect(end).toEqual({ status: 'interrupted', stateLost: false });
      expect((await kernel.execute('never')).end).toMatchObject({ ename: 'NameError' });
    },
  },
  {
    name: 'interrupts by hand the cell that runs, and only that',
    needs: 'interrupts',
    async check(kernel) {
      const { onOutput, isRunning } = started();
      const cell = kernel.execute(forever, { onOutput });
      const next = kernel.execute('1 + 1');
      await isRunning;
      await kernel.interrupt();
      expect((await cell).end).toEqual({ status: 'interrupted', stateLost: false });
      expect((await next).end.status).toBe('ok');
      await kernel.interrupt();
      await ran(kernel, '1');
    },
  },
  {
    name: 'starts anew when it is told to, and keeps files',
    async check(kernel) {
      await ran(kernel, 'gone = 1; open("stays.txt", "w").write("x")');
      await kernel.restart();
      expect((await kernel.execute('gone')).end).toMatchObject({ ename: 'NameError' });
      await ran(kernel, 'open("stays.txt", "a").write("y")');
      expect(Buffer.from((await kernel.files.read('stays.txt')) ?? []).toString()).toBe('xy');
    },
  },
  {
    name: 'ends the cell that runs when it starts anew',
    async check(kernel) {
      const { onOutput, isRunning } = started();
      const cell = kernel.execute(forever, { onOutput });
      await isRunning;
      await kernel.restart();
      expect((await cell).end).toEqual({ status: 'interrupted', stateLost: true });
      await ran(kernel, '1');
    },
  },
];
