import { expect } from 'vitest';
import type { Output } from '../../src/core/index.ts';
import { dataOf, printed, ran, shownValue } from './checks.ts';
import type { Behaviour } from './conformance.ts';

export const outputs: readonly Behaviour[] = [
  {
    name: 'gives the value of the last expression as text',
    async check(kernel) {
      const { outputs, executionCount } = await ran(kernel, '6 * 7');
      expect(outputs).toMatchObject([{ output_type: 'execute_result', data: { 'text/plain': '42' } }]);
      expect(executionCount).toBeGreaterThan(0);
    },
  },
  {
    name: 'keeps variables from cell to cell',
    async check(kernel) {
      expect((await ran(kernel, 'kept = [1, 2]')).outputs).toEqual([]);
      expect(await shownValue(kernel, 'kept')).toBe('[1, 2]');
    },
  },
  {
    name: 'runs a cell that is empty or only a comment',
    async check(kernel) {
      expect((await ran(kernel, '')).outputs).toEqual([]);
      expect((await ran(kernel, '# nothing\n')).outputs).toEqual([]);
    },
  },
  {
    name: 'adds nothing to what is printed, and joins it',
    async check(kernel) {
      const { outputs, streamBytes } = await ran(
        kernel,
        'print("a", end="")\nprint("b")\nprint("c", end="")',
      );
      expect(outputs).toEqual([{ output_type: 'stream', name: 'stdout', text: 'ab\nc' }]);
      expect(streamBytes).toEqual({ stdout: 4, stderr: 0 });
    },
  },
  {
    name: 'joins what is printed over time',
    async check(kernel) {
      const pieces: Output[] = [];
      const { outputs } = await ran(
        kernel,
        'import time\nfor i in range(3):\n    print(i, flush=True)\n    time.sleep(0.3)',
        { onOutput: (output) => pieces.push(output) },
      );
      expect(outputs).toEqual([{ output_type: 'stream', name: 'stdout', text: '0\n1\n2\n' }]);
      expect(pieces.length).toBeGreaterThan(1);
      expect(printed({ outputs: pieces })).toBe('0\n1\n2\n');
    },
  },
  {
    name: 'keeps standard output and standard error apart',
    async check(kernel) {
      const result = await ran(kernel, 'import sys\nprint("out")\nprint("err", file=sys.stderr)');
      expect([printed(result), printed(result, 'stderr')]).toEqual(['out\n', 'err\n']);
    },
  },
  {
    name: 'keeps the order of prints and displays',
    async check(kernel) {
      const { outputs } = await ran(
        kernel,
        'from IPython.display import display, HTML\nprint("a")\ndisplay(HTML("<b>b</b>"))\nprint("c")\n4',
      );
      expect(
        outputs.map((output) => ('text' in output ? output.text : Object.values(dataOf(output)))),
      ).toEqual(['a\n', expect.arrayContaining(['<b>b</b>']), 'c\n', ['4']]);
    },
  },
  {
    name: 'takes any character, in code and out',
    async check(kernel) {
      const text = '中文 😀 e\u0301 ﷽ \u{1d518}';
      expect(printed(await ran(kernel, `print(${JSON.stringify(text)})`))).toBe(`${text}\n`);
      expect(await shownValue(kernel, `len(${JSON.stringify(text)})`)).toBe(String([...text].length));
    },
  },
  {
    name: 'shows quotes as the language does',
    async check(kernel) {
      expect(await shownValue(kernel, "'plain'")).toBe("'plain'");
      expect(await shownValue(kernel, '"it\'s"')).toBe('"it\'s"');
      expect(await shownValue(kernel, '"\'" + "a\'"')).toBe('"\'a\'"');
    },
  },
  {
    name: 'captures what programs print',
    async check(kernel) {
      const result = await ran(
        kernel,
        'import subprocess, os\nsubprocess.run(["echo", "from a program"])\nos.system("echo from a shell >&2")\n1',
      );
      expect(printed(result) + printed(result, 'stderr')).toContain('from a program\n');
      expect(printed(result) + printed(result, 'stderr')).toContain('from a shell\n');
    },
  },
  {
    name: 'gives every form of a rich value',
    async check(kernel) {
      const { outputs } = await ran(kernel, 'import pandas as pd\npd.DataFrame({"a": [1, 2]})');
      const data = dataOf(outputs.at(-1));
      expect(data['text/html']).toContain('<table');
      expect(data['text/plain']).toContain('a\n');
    },
  },
  {
    name: 'gives JSON as an object',
    async check(kernel) {
      const { outputs } = await ran(
        kernel,
        'from IPython.display import JSON, display\ndisplay(JSON({"a": [1, None]}))',
      );
      expect(dataOf(outputs[0])['application/json']).toEqual({ a: [1, null] });
    },
  },
  {
    name: 'gives a figure as a PNG',
    async check(kernel) {
      const { outputs } = await ran(kernel, 'import matplotlib.pyplot as plt\nplt.plot([1, 2])\nplt.show()');
      const png = outputs.map((output) => dataOf(output)['image/png']).find((data) => data !== undefined);
      expect(Buffer.from(String(png), 'base64').subarray(1, 4).toString()).toBe('PNG');
    },
  },
  {
    name: 'gives SVG as text',
    async check(kernel) {
      const { outputs } = await ran(
        kernel,
        'from IPython.display import SVG\nSVG(\'<svg xmlns="http://www.w3.org/2000/svg"><g/></svg>\')',
      );
      expect(dataOf(outputs[0])['image/svg+xml']).toMatch(/^<svg/);
    },
  },
  {
    name: 'keeps metadata',
    needs: 'metadata',
    async check(kernel) {
      const { outputs } = await ran(
        kernel,
        'from IPython.display import display\ndisplay({"text/plain": "a"}, raw=True, metadata={"text/plain": {"b": 1}})',
      );
      expect(outputs).toMatchObject([{ metadata: { 'text/plain': { b: 1 } } }]);
    },
  },
  {
    name: 'updates a display of the same cell',
    needs: 'updates',
    async check(kernel) {
      const { outputs } = await ran(
        kernel,
        'from IPython.display import display, HTML\nh = display(HTML("old"), display_id="same")\nh.update(HTML("new"))',
      );
      expect(outputs.map((output) => dataOf(output)['text/html'])).toEqual(['new']);
    },
  },
  {
    name: 'tells the new content of a display that an earlier cell made',
    needs: 'updates',
    async check(kernel) {
      await ran(
        kernel,
        'from IPython.display import display, HTML\nh = display(HTML("old"), display_id="before")',
      );
      const { outputs, updates } = await ran(kernel, 'h.update(HTML("new"))');
      expect(outputs).toEqual([]);
      expect(updates).toMatchObject([{ displayId: 'before', data: { 'text/html': 'new' } }]);
    },
  },
  {
    name: 'clears outputs at once, or when the next one comes',
    needs: 'updates',
    async check(kernel) {
      const code = 'from IPython.display import clear_output\nprint("old")\n';
      expect((await ran(kernel, `${code}clear_output()`)).outputs).toEqual([]);
      expect(printed(await ran(kernel, `${code}clear_output(wait=True)`))).toBe('old\n');
      expect(printed(await ran(kernel, `${code}clear_output(wait=True)\nprint("new")`))).toBe('new\n');
    },
  },
  {
    name: 'counts cells, but not those kept out of the history',
    async check(kernel) {
      const first = (await ran(kernel, '1')).executionCount ?? Number.NaN;
      await ran(kernel, '2', { storeHistory: false });
      expect((await ran(kernel, '3')).executionCount).toBe(first + 1);
    },
  },
  {
    name: 'runs cells one after the other, in the order they came',
    async check(kernel) {
      await ran(kernel, 'order = []');
      await Promise.all(
        [1, 2, 3].map((n) => ran(kernel, `import time; time.sleep(${0.2 / n}); order.append(${n})`)),
      );
      expect(await shownValue(kernel, 'order')).toBe('[1, 2, 3]');
    },
  },
  {
    name: 'keeps head and tail of what is too much, counts it, and gives away the whole',
    own: {},
    async check(_, open) {
      const spilled: Uint8Array[] = [];
      const kernel = await open({
        limits: { outputBytes: 1000 },
        onSpill: (_name, piece) => spilled.push(piece),
      });
      const result = await ran(kernel, 'for i in range(100000): print(i)');
      const all = Array.from({ length: 100_000 }, (_item, i) => `${i}\n`).join('');
      expect(result.truncated).toBe(true);
      expect(result.streamBytes.stdout).toBe(all.length);
      expect(printed(result).length).toBeLessThan(1200);
      expect(printed(result)).toMatch(/^0\n1\n[\s\S]*99999\n$/);
      expect(Buffer.concat(spilled).toString()).toBe(all);
      expect(printed(await ran(kernel, 'print("short")'))).toBe('short\n');
    },
  },
  {
    name: 'takes ten megabytes in one print',
    async check(kernel) {
      const { streamBytes, truncated } = await ran(kernel, 'print("x" * 10_000_000)');
      expect(streamBytes.stdout).toBe(10_000_001);
      expect(truncated).toBe(true);
    },
  },
  {
    name: 'tells what a thread put out after its cell had ended, apart',
    needs: 'late',
    async check(kernel) {
      const { executionCount } = await ran(
        kernel,
        'import threading, time\nt = threading.Thread(target=lambda: (time.sleep(0.4), print("late")))\nt.start()',
      );
      await new Promise((resolve) => setTimeout(resolve, 1500));
      const { outputs, late, warnings } = await ran(kernel, 't.join(); 5');
      expect(outputs.map((output) => dataOf(output)['text/plain'])).toEqual(['5']);
      expect(late).toEqual([
        { executionCount, output: { output_type: 'stream', name: 'stdout', text: 'late\n' } },
      ]);
      expect(warnings.join()).toContain(`(In [${executionCount}]) went on`);
    },
  },
  {
    name: 'loses nothing of a thread that prints while another cell runs',
    needs: 'late',
    async check(kernel) {
      await ran(
        kernel,
        'import threading, time\nt = threading.Thread(target=lambda: (time.sleep(0.4), print("meanwhile")))\nt.start()',
      );
      const { outputs, late = [] } = await ran(kernel, 't.join(); time.sleep(0.5)');
      // ipykernel 6 gives it to the cell that started the thread, 7 to the one that runs.
      expect(printed({ outputs: [...outputs, ...late.map(({ output }) => output)] })).toBe('meanwhile\n');
    },
  },
  {
    name: 'says when a figure lacks characters',
    async check(kernel) {
      const result = await ran(kernel, 'import matplotlib.pyplot as plt\nplt.title("\\ue123")\nplt.show()');
      // U+E123 is for private use: no font has it.
      expect(result.warnings.join()).toContain('\ue123');
    },
  },
];
