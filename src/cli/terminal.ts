import { styleText } from 'node:util';

type Style = Parameters<typeof styleText>[0];

/** The two streams of the command line: stdout is the result, stderr the progress. */
export type Terminal = {
  /** Writes to stdout. */
  result(text: string): void;
  /** Writes one line to stderr, above the live line if there is one. */
  say(text: string): void;
  /** Replaces the live line on stderr; shown only on a terminal, where it can be replaced. */
  live(text: string): void;
  /** Removes the live line. */
  clear(): void;
  readonly color: boolean;
  /** Colours for stdout and for stderr, only where the stream is a terminal and NO_COLOR is not set. */
  paint(style: Style, text: string): string;
  paintProgress(style: Style, text: string): string;
  readonly columns: number;
  readonly interactive: boolean;
};

export type TerminalStreams = {
  stdout: NodeJS.WritableStream & { isTTY?: boolean; columns?: number };
  stderr: NodeJS.WritableStream & { isTTY?: boolean; columns?: number };
  env: NodeJS.ProcessEnv;
};

export function openTerminal({ stdout, stderr, env }: TerminalStreams): Terminal {
  const coloured = (stream: { isTTY?: boolean }) =>
    !env.NO_COLOR && env.TERM !== 'dumb' && (stream.isTTY === true || (env.FORCE_COLOR ?? '') > '0');
  const interactive = stderr.isTTY === true && env.TERM !== 'dumb' && !env.CI;
  const columns = Math.max(40, stderr.columns ?? stdout.columns ?? 100);
  const [colorOut, colorErr] = [coloured(stdout), coloured(stderr)];
  let shown = false;
  const clear = () => {
    if (shown) stderr.write('\r\x1b[2K');
    shown = false;
  };
  return {
    result: (text) => {
      clear();
      stdout.write(text.endsWith('\n') ? text : `${text}\n`);
    },
    say: (text) => {
      clear();
      stderr.write(`${text}\n`);
    },
    live: (text) => {
      if (!interactive) return;
      stderr.write(`\r\x1b[2K${text.slice(0, columns - 1)}`);
      shown = true;
    },
    clear,
    color: colorOut,
    paint: (style, text) => (colorOut ? styleText(style, text, { validateStream: false }) : text),
    paintProgress: (style, text) => (colorErr ? styleText(style, text, { validateStream: false }) : text),
    columns,
    interactive,
  };
}
