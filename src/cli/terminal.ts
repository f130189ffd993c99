import { styleText } from 'node:util';
import { cutTo } from './cut-to.ts';
import { inert } from './one-line.ts';

type Style = Parameters<typeof styleText>[0];

/** The two streams of the command line: stdout is the result, stderr the progress. */
export type Terminal = {
  /** Writes to stdout. */
  result(text: string): void;
  /** Something was written to it. */
  hasResult(): boolean;
  /** Writes one line to stderr, above the live line if there is one. */
  say(text: string): void;
  /** The same for a line that is told again in the result: on a terminal it is cut to one line of it. */
  step(text: string): void;
  /** Replaces the live line on stderr; shown only on a terminal, where it can be replaced. */
  live(text: string): void;
  /** Removes the live line. */
  clear(): void;
  readonly color: boolean;
  /** stderr is a terminal with a live line. */
  readonly interactive: boolean;
  /** Colours for stdout and for stderr, only where the stream is a terminal and NO_COLOR is not set. */
  paint(style: Style, text: string): string;
  paintProgress(style: Style, text: string): string;
  /** Of stdout; 100 where it is no terminal. */
  readonly columns: number;
  /** Where rows of the result are broken: the columns of stdout, null where it is no terminal. */
  readonly wrapAt: number | null;
};

type Stream = NodeJS.WritableStream & { isTTY?: boolean; columns?: number };
export type TerminalStreams = { stdout: Stream; stderr: Stream; env: NodeJS.ProcessEnv };

/** What the streams and `NO_COLOR`, `FORCE_COLOR`, `TERM` and `CI` in `env` allow is decided once, here. */
export function openTerminal({ stdout, stderr, env }: TerminalStreams): Terminal {
  const coloured = (stream: Stream) =>
    !env.NO_COLOR && env.TERM !== 'dumb' && (stream.isTTY === true || (env.FORCE_COLOR ?? '') > '0');
  const interactive = stderr.isTTY === true && env.TERM !== 'dumb' && !env.CI;
  const [colorOut, colorErr] = [coloured(stdout), coloured(stderr)];
  const paint = (on: boolean) => (style: Style, text: string) =>
    on ? styleText(style, text, { validateStream: false }) : text;
  // The window may change its size at any time, and one that does not tell has 0 columns. The last column is left free:
  // some terminals wrap in it.
  const room = () => Math.max(8, (stderr.columns || 100) - 1);
  let shown = false;
  let told = false;
  const clear = () => {
    if (shown) stderr.write('\r\x1b[2K');
    shown = false;
  };
  const say = (text: string) => {
    clear();
    stderr.write(`${inert(text)}\n`);
  };
  return {
    hasResult: () => told,
    result: (text) => {
      clear();
      told = true;
      stdout.write(text.endsWith('\n') ? text : `${text}\n`);
    },
    say,
    step: (text) => say(interactive ? cutTo(text, room()) : text),
    live: (text) => {
      if (!interactive) return;
      stderr.write(`\r\x1b[2K${cutTo(text, room())}`);
      shown = true;
    },
    clear,
    color: colorOut,
    interactive,
    paint: paint(colorOut),
    paintProgress: paint(colorErr),
    columns: Math.max(40, stdout.columns || 100),
    wrapAt: stdout.isTTY === true ? Math.max(40, stdout.columns || 100) : null,
  };
}
