import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { PassThrough } from 'node:stream';
import type { CliContext } from './context.ts';

/** What a person types while an analysis goes on. */
export type Steering = {
  listens: boolean;
  /** One line that says what can be done. */
  hint: string;
  /** What has been typed of a line that is not sent yet. */
  typed: () => string;
  /** Gives the terminal back. */
  end: () => void;
};

const deaf: Steering = { listens: false, hint: '', typed: () => '', end: () => {} };

/** Longest message; a slip of the clipboard should not fill the model's context. */
const maxChars = 4_000;

/** A line that stops the cell that runs, and not the run. */
const interruptLine = '/interrupt';

/** What is done with what a person types. */
export type SteeringActions = {
  /** Tells the model. */
  send: (text: string) => void;
  /** Interrupts the cell that runs and gives its number; null where none does. */
  interrupt: () => number | null;
};

/**
 * Takes lines from a terminal, one message each. The terminal's own echo would be wiped by the live line, so the keys are
 * read raw and shown there. Where input is no terminal, or is that of another job, nothing is read.
 */
export function listenForSteering(
  { stdin, terminal }: CliContext,
  { send, interrupt }: SteeringActions,
): Steering {
  if (stdin.isTTY !== true || !terminal.interactive || !isForeground()) return deaf;
  const nowhere = new PassThrough();
  nowhere.resume();
  const lines = createInterface({ input: stdin, output: nowhere, terminal: true, historySize: 0 });
  let open = true;
  lines.on('line', (line) => {
    const text = line.trim();
    if (text === '') return;
    if (text === interruptLine) {
      const cell = interrupt();
      terminal.step(
        cell === null ? 'no cell runs now' : `you: cell ${cell} is interrupted, and the model goes on`,
      );
      return;
    }
    send(text.slice(0, maxChars));
    terminal.step(`you: ${text.slice(0, maxChars)} (the model hears it at its next turn)`);
  });
  // In raw mode the terminal makes no signal of Ctrl-C.
  lines.on('SIGINT', () => process.kill(process.pid, 'SIGINT'));
  return {
    listens: true,
    hint: `type a line and press Enter to tell the model something, ${interruptLine} to stop the cell that runs; Ctrl-C stops the run, which can be resumed`,
    typed: () => (open ? lines.line : ''),
    end: () => {
      if (open) lines.close();
      open = false;
      stdin.pause();
    },
  };
}

/** A job in the background that reads its terminal is stopped by it. */
function isForeground(): boolean {
  try {
    const stat = readFileSync('/proc/self/stat', 'utf8');
    // After the name, which may hold spaces: state, ppid, pgrp, session, tty, tpgid (proc(5)).
    const [, , pgrp, , , tpgid] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return pgrp === tpgid;
  } catch {
    return false;
  }
}
