import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, inject, it, onTestFinished } from 'vitest';
import { AssayError } from '../../src/core/index.ts';
import { type OpenJupyterOptions, openJupyterKernel } from '../../src/kernel/index.ts';
import { ran } from './checks.ts';
import { javascriptKernel } from './test-kernels.ts';

const venv = path.resolve(import.meta.dirname, '../../.venv');
const python = path.join(venv, 'bin/python');
const strict = inject('holdsEveryLimit');

function temporary(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'assay-kernels-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  chmodSync(folder, 0o755);
  return folder;
}

/** A kernel description that starts `script` with the Python of .venv. */
function described(script: string, more: Record<string, unknown> = {}): string {
  const folder = temporary();
  writeFileSync(path.join(folder, 'start.py'), script);
  const argv = [python, '{resource_dir}/start.py', '-f', '{connection_file}'];
  writeFileSync(path.join(folder, 'kernel.json'), JSON.stringify({ argv, language: 'python', ...more }));
  return folder;
}

async function failure(options: OpenJupyterOptions): Promise<AssayError> {
  const error: unknown = await openJupyterKernel({ strict, ...options }).then(
    (kernel) => kernel.close().then(() => 'it came up'),
    (reason: unknown) => reason,
  );
  if (!AssayError.is(error)) throw new Error(`no AssayError: ${String(error)}`);
  return error;
}

describe('what keeps a kernel from coming up has a cause and a fix', () => {
  it('no such kernel', async () => {
    const error = await failure({ kernel: 'no-such-kernel', env: { PATH: '/usr/bin', VIRTUAL_ENV: venv } });
    expect(error).toMatchObject({ code: 'environment', because: expect.stringContaining('python3') });
    expect(error.message).toContain('no-such-kernel');
  });

  it('no such Python', async () => {
    const error = await failure({ kernel: 'python9' });
    expect(error).toMatchObject({
      code: 'environment',
      fix: expect.stringContaining('pip install ipykernel'),
    });
  });

  it('a description that is broken', async () => {
    const folder = temporary();
    for (const text of ['{', '{"argv": []}', '[]', '{"argv": "python"}']) {
      writeFileSync(path.join(folder, 'kernel.json'), text);
      const error = await failure({ kernel: folder });
      expect(error.message).toContain(path.join(folder, 'kernel.json'));
    }
  });

  it('a program that is not installed', async () => {
    const folder = temporary();
    writeFileSync(path.join(folder, 'kernel.json'), JSON.stringify({ argv: ['/nowhere/python'] }));
    expect((await failure({ kernel: folder })).message).toContain('/nowhere/python');
  });

  it('a Python without ipykernel', async () => {
    const error = await failure({
      kernel: described('import sys\nsys.modules["ipykernel"] = None\nfrom ipykernel import kernelapp'),
    });
    expect(error.because).toMatch(/exit code 1.*ipykernel/s);
    const missing = await failure({
      kernel: described('raise ModuleNotFoundError("No module named \'ipykernel\'")'),
    });
    expect(missing.fix).toContain('-m pip install ipykernel');
  });

  it('a kernel that never answers', async () => {
    const error = await failure({ kernel: described('import time; time.sleep(600)'), startMs: 1500 });
    expect(error.message).toContain('did not answer within 2 s');
    expect(error.because).toContain('no sockets');
  });

  it('a kernel that makes its sockets and then hangs', async () => {
    const script = [
      'import json, socket, sys, time',
      'c = json.load(open(sys.argv[2]))',
      'held = []',
      'for n in range(1, 6):',
      '    s = socket.socket(socket.AF_UNIX); s.bind(f"{c[\'ip\']}-{n}"); s.listen(); held.append(s)',
      'time.sleep(600)',
    ];
    const error = await failure({ kernel: described(script.join('\n')), startMs: 3000 });
    expect(error.because).toContain('nobody answers');
  });

  it('a kernel that signs with another key', async () => {
    const script = [
      'import json, sys',
      'from ipykernel.kernelapp import launch_new_instance',
      'c = json.load(open(sys.argv[2])); c["key"] = "another"',
      'json.dump(c, open("/tmp/c.json", "w")); sys.argv[2] = "/tmp/c.json"',
      'launch_new_instance()',
    ];
    const error = await failure({ kernel: described(script.join('\n')), startMs: 10_000 });
    expect(error.because).toContain('signed with another key');
  });

  it('data that the code could not read', async () => {
    const data = temporary();
    chmodSync(data, 0o700);
    const opening = openJupyterKernel({
      strict,
      env: { ...process.env, VIRTUAL_ENV: venv },
      readOnly: [{ source: data, path: 'data' }],
    });
    // Only root's code has another uid than root itself.
    if (process.getuid?.() === 0) {
      await expect(opening).rejects.toMatchObject({ fix: expect.stringContaining(`chmod -R o+rX ${data}`) });
    } else await (await opening).close();
  });

  it('an abort while it starts', async () => {
    const abort = new AbortController();
    setTimeout(() => abort.abort(), 200);
    expect(
      (await failure({ kernel: described('import time; time.sleep(600)'), signal: abort.signal })).message,
    ).toContain('aborted');
  });
});

describe('a kernel among the things of its user', () => {
  const open = (options: OpenJupyterOptions = {}) =>
    openJupyterKernel({ strict, env: { ...process.env, VIRTUAL_ENV: venv }, ...options });

  it('works in a folder that it is given, and shows others read-only', async () => {
    const folder = path.join(temporary(), 'work');
    const data = temporary();
    writeFileSync(path.join(data, 'a.csv'), 'a\n1\n');
    mkdirSync(path.join(data, 'sub'));
    const kernel = await open({ folder, readOnly: [{ source: data, path: 'data' }] });
    onTestFinished(() => kernel.close());
    await ran(kernel, 'open("out.txt", "w").write(open("data/a.csv").read())');
    expect((await kernel.execute('open("data/a.csv", "w")')).end).toMatchObject({ status: 'error' });
    expect((await kernel.files.list()).map((file) => file.path)).toEqual(['out.txt']);
    await kernel.close();
    expect(existsSync(path.join(folder, 'out.txt'))).toBe(true);
  });

  it('sees nothing else of the machine, and no variable of the runner', async () => {
    const secret = temporary();
    writeFileSync(path.join(secret, 'key'), 'x');
    const kernel = await open({ env: { ...process.env, VIRTUAL_ENV: venv, SECRET_TOKEN: 'hush' } });
    onTestFinished(() => kernel.close());
    const { outputs } = await ran(
      kernel,
      `import os\n[os.path.exists(${JSON.stringify(secret)}), os.path.exists("/etc/shadow"), "hush" in str(os.environ)]`,
    );
    expect(outputs).toMatchObject([{ data: { 'text/plain': '[False, False, False]' } }]);
  });

  it('cannot lead the runner to another socket by a link in the place of its own', async () => {
    const kernel = await open();
    onTestFinished(() => kernel.close());
    const { outputs } = await ran(
      kernel,
      'import os\nfor n in range(1, 6):\n    os.rename(f"/run/kernel/s-{n}", f"/run/kernel/x-{n}")\n    os.symlink("/run/elsewhere", f"/run/kernel/s-{n}")\nsorted(os.listdir("/run/kernel"))[-1]',
    );
    expect(outputs).toMatchObject([{ data: { 'text/plain': "'x-5'" } }]);
    await ran(kernel, '1');
  });
});

describe('a kernel that is no Python program', () => {
  it('runs JavaScript: state, errors, interrupts, death, files', async () => {
    const kernel = await openJupyterKernel({ kernel: javascriptKernel(), strict });
    onTestFinished(() => kernel.close());
    expect(kernel.info.language).toBe('javascript');
    expect((await ran(kernel, 'let x = 20; x')).outputs).toMatchObject([{ text: '20\n' }]);
    const failed = await kernel.execute('throw new Error("boom")');
    expect(failed.end.status).toBe('error');
    expect(JSON.stringify(failed.outputs)).toContain('boom');
    expect((await ran(kernel, 'x + 1')).outputs).toMatchObject([{ text: '21\n' }]);
    expect((await kernel.execute('while (true) {}', { deadlineMs: 500 })).end).toMatchObject({
      status: 'timeout',
      stateLost: false,
    });
    expect((await ran(kernel, 'x + 2')).outputs).toMatchObject([{ text: '22\n' }]);
    await ran(kernel, 'globalThis.process.getBuiltinModule("fs").writeFileSync("js.txt", "hi")');
    expect((await kernel.files.list()).map((file) => file.path)).toEqual(['js.txt']);
    expect((await kernel.execute('globalThis.process.exit(4)')).end).toMatchObject({
      status: 'died',
      cause: 'exited',
    });
    expect((await ran(kernel, '1 + 1')).outputs).toMatchObject([{ text: '2\n' }]);
  });
});

describe('a working folder with files that are called like modules of Python', () => {
  it('does not keep a kernel from coming up', async () => {
    const folder = temporary();
    chmodSync(folder, 0o777);
    for (const name of ['json', 'types', 'importlib', 'random', 'tempfile'])
      writeFileSync(path.join(folder, `${name}.py`), `raise RuntimeError('this is the ${name} of the data')`);
    writeFileSync(path.join(folder, 'helper.py'), 'answer = 42');
    const kernel = await openJupyterKernel({ strict, folder, env: { ...process.env, VIRTUAL_ENV: venv } });
    onTestFinished(() => kernel.close());
    await ran(kernel, 'import json, types, random, helper\nassert helper.answer == 42');
  });
});

describe('a kernel that breaks at a cell', () => {
  it('and gives no reply is not taken for one that ran it', async () => {
    const kernel = await openJupyterKernel({ strict, env: { ...process.env, VIRTUAL_ENV: venv } });
    onTestFinished(() => kernel.close());
    await ran(kernel, 'kernel = get_ipython().kernel\nkernel.do_execute = lambda *args, **more: 1 / 0');
    expect((await kernel.execute('after = 1')).end).toMatchObject({ status: 'error', ename: 'NoReply' });
  });
});
