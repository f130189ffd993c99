import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { asking, serve } from './model.ts';
import { argumentsOf, until } from './process.ts';
import { folder } from './project.ts';
import { kernelEnv, runs, says } from './solve-replies.ts';
import { readCell, scene } from './solve-scene.ts';

/** Runs its arguments on a terminal of their own, with its own input as the keys that are pressed. */
const onTerminal = 'import pty, sys; sys.exit(pty.spawn(sys.argv[1:]) >> 8)';

const slow = "import time\nfor step in range(60):\n    print('step', step, flush=True)\n    time.sleep(0.1)";

describe('a terminal', () => {
  it('takes a line for the model while a cell runs, shows it as it is typed, stops one cell, and Ctrl-C', async () => {
    const [home, { task, data }] = [folder('home'), scene()];
    const endless = `${readCell}\nimport time\ntime.sleep(300)`;
    const server = await serve([runs(slow), runs(endless), runs(`${endless} # 2`), says('Done.')]);
    const args = argumentsOf(['solve', task, '--data', data, ...asking(server)]);
    const child = spawn('python3', ['-c', onTerminal, process.execPath, ...args], {
      cwd: home,
      env: { ...process.env, ...kernelEnv, ASSAY_HOME: home, CI: '', TERM: 'xterm', NO_COLOR: '1' },
    });
    let screen = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      screen += text;
    });
    const ended = once(child, 'close');
    await until('the cell is seen to run', () => /cell 1 runs .*step \d/.test(screen));
    child.stdin.write('leave out the pears');
    await until('what is typed is seen', () => screen.includes('> leave out the pears'));
    child.stdin.write('\r');
    await until('it was told', () => screen.includes('told: leave out the pears'));
    await until('the model is asked again', () => server.requests.length === 2);
    expect(JSON.stringify(server.requests[1]?.body)).toContain('leave out the pears');
    await until('the next cell runs', () => screen.includes('cell 2 runs 1 s'));
    child.stdin.write('/interrupt\r');
    await until('it was interrupted', () => screen.includes('cell 2: interrupted ('));
    await until('the one after it runs', () => screen.includes('cell 3 runs'));
    expect(JSON.stringify(server.requests[2]?.body)).toContain('was interrupted by the user');
    child.stdin.write('\x03');
    const [code] = await ended;
    expect(code, screen).toBe(130);
    expect(screen).toContain('interrupted: stopping in good order');
    expect(screen).toMatch(/next +assay resume solve-/);
  });
});
