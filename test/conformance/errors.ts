import { expect } from 'vitest';
import { dataOf, printed, ran, shownValue } from './checks.ts';
import type { Behaviour } from './conformance.ts';

export const errors: readonly Behaviour[] = [
  {
    name: 'tells an exception by name, message and traceback',
    async check(kernel) {
      const { end, outputs } = await kernel.execute('def f():\n    return 1 / 0\nf()');
      expect(end).toEqual({ status: 'error', ename: 'ZeroDivisionError', evalue: 'division by zero' });
      const error = outputs.find((output) => output.output_type === 'error');
      expect(error).toMatchObject({ ename: 'ZeroDivisionError', evalue: 'division by zero' });
      const traceback = error?.output_type === 'error' ? error.traceback.join('\n') : '';
      expect(traceback).toContain('return 1 / 0');
      // Colours are for terminals.
      expect(traceback).not.toContain('\x1b');
    },
  },
  {
    name: 'tells a syntax error',
    async check(kernel) {
      expect((await kernel.execute('def :')).end).toMatchObject({ status: 'error', ename: 'SyntaxError' });
    },
  },
  {
    name: 'keeps what was put out before an exception, and variables',
    async check(kernel) {
      const result = await kernel.execute('before = 1\nprint("seen")\nraise ValueError("no")\nbefore = 2');
      expect(result.end).toEqual({ status: 'error', ename: 'ValueError', evalue: 'no' });
      expect(printed(result)).toBe('seen\n');
      expect(await shownValue(kernel, 'before')).toBe('1');
    },
  },
  {
    name: 'runs the cells that came while one failed',
    async check(kernel) {
      const results = await Promise.all(['1/0', 'after = 1', 'after'].map((code) => kernel.execute(code)));
      expect(results.map(({ end }) => end.status)).toEqual(['error', 'ok', 'ok']);
    },
  },
  {
    name: 'takes an exception whose message cannot be made',
    async check(kernel) {
      const { end } = await kernel.execute(
        'class Bad(Exception):\n    def __str__(self): raise RuntimeError("worse")\nraise Bad()',
      );
      expect(end.status).toBe('error');
      await ran(kernel, '1');
    },
  },
  {
    name: 'names what kept a value from being shown, and shows it in another form',
    async check(kernel) {
      const { end, outputs } = await kernel.execute(
        'class Shy:\n    def __repr__(self): return "shy"\n    def _repr_html_(self): raise ValueError("no")\nShy()',
      );
      // It is the kernel's choice whether the cell has failed.
      if (end.status === 'error') expect(end).toEqual({ status: 'error', ename: 'ValueError', evalue: 'no' });
      else expect(end).toEqual({ status: 'ok' });
      expect(JSON.stringify(outputs)).toContain('ValueError');
      expect(outputs.map((output) => dataOf(output)['text/plain'])).toContain('shy');
    },
  },
  {
    name: 'refuses input() at once, and says so',
    async check(kernel) {
      const { end, warnings } = await kernel.execute('input("name? ")', { deadlineMs: 30_000 });
      expect(end).toMatchObject({ status: 'error', ename: 'StdinNotImplementedError' });
      expect(warnings.join()).toContain('asked for input');
    },
  },
  {
    name: 'has nothing on standard input',
    async check(kernel) {
      expect(await shownValue(kernel, 'import sys; sys.stdin.read() if not sys.stdin.closed else ""')).toBe(
        "''",
      );
    },
  },
  {
    name: 'takes sys.exit() in a cell for an error of the code',
    async check(kernel) {
      expect((await kernel.execute('import sys; sys.exit(3)')).end).toMatchObject({
        status: 'error',
        ename: 'SystemExit',
      });
      await ran(kernel, '1');
    },
  },
];
