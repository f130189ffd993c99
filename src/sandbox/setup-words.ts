/**
 * What the shells that run inside before the command say on the setup descriptor, a line each. Nothing the code does
 * can forge it: the descriptor is closed when the code starts.
 *
 * `ready`: built, and waits for a line from the runner before anything else runs, unless it was sent beforehand ·
 * `running`: all is prepared, the
 * command comes next, and end of file then means that it started · the others: what went wrong instead.
 */
export const setupWord = {
  ready: '!ready',
  group: '!group',
  running: '!running',
  fill: '!fill',
  folder: '!folder',
  exec: '!exec',
};
