import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { fillScript } from './fill-script.ts';
import { quote } from './shell.ts';
import type { Mount } from './types.ts';

describe('quote', () => {
  it.each(["it's", '', ' ', '$HOME `id` "x" \\', "''", 'a\nb', '*', '-n'])('makes one word of %j', (text) => {
    const { stdout } = spawnSync('/bin/sh', ['-c', `printf %s ${quote(text)}`], { encoding: 'utf8' });
    expect(stdout).toBe(text);
  });
});

describe('fillScript', () => {
  const workspace: Mount = { kind: 'tmpfs', target: "/w/it's", sizeBytes: 1 };

  it('is nothing without fills', () => {
    expect(fillScript([workspace], [])).toBe('');
  });

  it('is a script that a shell accepts, whatever the names', () => {
    const script = fillScript(
      [
        workspace,
        { kind: 'fill', source: '/s', target: workspace.target },
        { kind: 'ro', source: '/t', target: "/w/it's/te st$(id)" },
      ],
      ['setpriv', '--reuid', '1'],
    );
    expect(spawnSync('/bin/sh', ['-n', '-c', script]).status).toBe(0);
    expect(script).toContain("--exclude './te st$(id)'");
  });

  it('leaves out what a mount covers, but not the folder to fill itself', () => {
    const script = fillScript(
      [
        workspace,
        { kind: 'rw', source: '/o', target: workspace.target },
        { kind: 'rw', source: '/o', target: '/elsewhere' },
        { kind: 'fill', source: '/s', target: workspace.target },
      ],
      [],
    );
    expect(script).not.toContain('--exclude');
  });
});
