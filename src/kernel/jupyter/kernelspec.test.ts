import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { findKernelSpec } from './kernelspec.ts';

function world(): { at: (path: string) => string; add: (folder: string, spec: unknown) => void } {
  const root = mkdtempSync(join(tmpdir(), 'assay-specs-'));
  onTestFinished(() => rmSync(root, { recursive: true }));
  const at = (path: string) => join(root, path);
  return {
    at,
    add(folder, spec) {
      mkdirSync(at(folder), { recursive: true });
      writeFileSync(join(at(folder), 'kernel.json'), JSON.stringify(spec));
    },
  };
}

describe('findKernelSpec', () => {
  it('looks at JUPYTER_PATH, then the home folder, then environments', () => {
    const { at, add } = world();
    const env = {
      HOME: at('home'),
      JUPYTER_PATH: at('named'),
      VIRTUAL_ENV: at('venv'),
      PATH: at('other/bin'),
    };
    const program = (kernel: string) => findKernelSpec({ kernel, env }).argv[0];
    add('other/share/jupyter/kernels/k', { argv: ['from PATH'] });
    expect(program('k')).toBe('from PATH');
    add('venv/share/jupyter/kernels/k', { argv: ['from the environment'] });
    expect(program('k')).toBe('from the environment');
    add('home/.local/share/jupyter/kernels/k', { argv: ['from the home folder'] });
    expect(program('k')).toBe('from the home folder');
    add('named/kernels/k', { argv: ['from JUPYTER_PATH'] });
    expect(program('K')).toBe('from JUPYTER_PATH');
  });

  it('reads what is there and takes the rest as the protocol has it', () => {
    const { at, add } = world();
    add('one', {
      argv: ['p', '{connection_file}'],
      language: 'R',
      env: { A: 'b' },
      interrupt_mode: 'message',
      x: 1,
    });
    expect(findKernelSpec({ kernel: at('one') })).toMatchObject({
      name: 'one',
      language: 'r',
      argv: ['p', '{connection_file}'],
      env: { A: 'b' },
      interruptMode: 'message',
    });
    add('two', { argv: ['p'] });
    expect(findKernelSpec({ kernel: at('two') })).toMatchObject({ interruptMode: 'signal', env: {} });
  });

  it('takes a bare `python` for that of the environment the kernel is installed in', () => {
    const { at, add } = world();
    mkdirSync(at('venv/bin'), { recursive: true });
    writeFileSync(at('venv/bin/python'), '');
    add('venv/share/jupyter/kernels/python3', { argv: ['python', '-m', 'x'] });
    const found = findKernelSpec({ kernel: 'python3', env: { HOME: at('home'), VIRTUAL_ENV: at('venv') } });
    expect(found.argv[0]).toBe(at('venv/bin/python'));
    expect(findKernelSpec({ kernel: at('venv/share/jupyter/kernels/python3') }).argv[0]).toBe(
      at('venv/bin/python'),
    );
  });
});
