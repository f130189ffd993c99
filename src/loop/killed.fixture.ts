import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';

/** Runs a program that prints the id of its run when that begins, and kills it `afterMs` later. Resolves to the id. */
export async function killed(options: { program: string; home: string; afterMs: number }): Promise<string> {
  const { program, home, afterMs } = options;
  const child = spawn(process.execPath, [program, home], { stdio: ['ignore', 'pipe', 'inherit'] });
  const exited = once(child, 'exit');
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  await sleep(afterMs);
  child.kill('SIGKILL');
  await exited;
  return line.toString().trim();
}
