/**
 * Texts that change from run to run though nothing changed, each with the word that stands for it. In this order:
 * an earlier rule must not leave half of a later one's text behind.
 */
const noises: readonly (readonly [RegExp, string])[] = [
  [/\u001b\[[0-9;?]*[ -/]*[@-~]/g, ''],
  [/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi, '<uuid>'],
  [
    /\b\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?(?:\s?(?:Z|[+-]\d{2}:?\d{2})\b)?)?/g,
    '<time>',
  ],
  [/\b\d{1,2}:\d{2}:\d{2}(?:[.,]\d+)?\b/g, '<time>'],
  [/\b1[5-9]\d{8}(?:\.\d+|\d{3}|\d{6}|\d{9})?\b/g, '<time>'],
  [/\b0x[0-9a-f]+\b/gi, '<address>'],
  [
    /(?:\/private)?\/(?:tmp|var\/tmp|var\/folders|dev\/shm|run\/user)\/[^\s'"`)\]}>,;]*|\b[A-Z]:\\[^\s'"`]*\\Temp\\[^\s'"`]*/g,
    '<temp>',
  ],
  [/\bpytest-of-[^\s'"/]+\/pytest-\d+/g, '<temp>'],
  [/\b(pid|process|ppid|tid|thread)([ =:#-]{1,3})\d+/gi, '$1$2<pid>'],
  [/\b(\w*seed)(["']?[ =:]{1,3})-?\d+/gi, '$1$2<seed>'],
  [/\b(lines?)([ =:]{1,2})\d+(?:\s?-\s?\d+)?/gi, '$1$2<line>'],
  [/(\.[a-z]{1,4}):\d+(?::\d+)?/gi, '$1:<line>'],
  [
    /\b\d+(?:\.\d+)?(?:e-?\d+)?\s?(?:ns|us|µs|ms|msecs?|s|secs?|seconds?|milliseconds?|minutes?|mins?)\b/g,
    '<duration>',
  ],
];

/** A text without durations, addresses, temporary paths, pids, line numbers, seeds, timestamps and uuids. */
export function withoutNoise(text: string): string {
  return noises.reduce((rest, [pattern, word]) => rest.replace(pattern, word), text);
}
