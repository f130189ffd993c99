/** Options of node whose value may be the next word: without the list it would be taken for a file. */
const optionsWithValue = new Set(
  `-r --require --import --loader --experimental-loader -C --conditions --env-file --env-file-if-exists --title
  --input-type --experimental-default-type --unhandled-rejections --dns-result-order --icu-data-dir --openssl-config
  --stack-trace-limit --max-http-header-size --disable-warning --redirect-warnings --diagnostic-dir --watch-path
  --test-name-pattern --test-skip-pattern --test-reporter --test-reporter-destination --test-concurrency --test-timeout
  --test-shard --test-isolation --experimental-test-isolation --test-global-setup --test-coverage-include
  --test-coverage-exclude --test-coverage-lines --test-coverage-branches --test-coverage-functions
  --test-rerun-failures --test-random-seed --experimental-test-tag-filter --experimental-config-file
  --localstorage-file --inspect-port`.split(/\s+/),
);

/**
 * What the lab does itself, or what would make a run prove less: who reports, how many at a time, coverage, a part of
 * the files, an order by chance, only what failed before.
 */
const notPassedOn = new Set(
  `--test --watch --watch-path --test-reporter --test-reporter-destination --test-concurrency --test-isolation
  --experimental-test-isolation --experimental-test-coverage --test-coverage-include --test-coverage-exclude
  --test-coverage-lines --test-coverage-branches --test-coverage-functions --test-shard --test-rerun-failures
  --test-randomize --test-random-seed --test-update-snapshots --inspect --inspect-brk --inspect-port
  --test-global-setup`.split(/\s+/),
);

const filters = new Set(['--test-name-pattern', '--test-skip-pattern', '--experimental-test-tag-filter']);
const loads = new Set(
  `-r --require --import --loader --experimental-loader --env-file --env-file-if-exists --test-global-setup`.split(
    /\s+/,
  ),
);

export type NodeOption = { name: string; value: string | null; words: string[] };

/** Splits node's arguments into its options and what follows them (files, for `--test` also between them). Pure. */
export function readNodeArguments(words: readonly string[]): { options: NodeOption[]; rest: string[] } {
  const options: NodeOption[] = [];
  const rest: string[] = [];
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? '';
    if (word === '--') return { options, rest: [...rest, ...words.slice(at + 1)] };
    if (!word.startsWith('-') || word === '-') {
      // Without --test the first word that is no option is the program, and all others are its own.
      if (!words.includes('--test')) return { options, rest: words.slice(at) };
      rest.push(word);
      continue;
    }
    const equals = word.startsWith('--') ? word.indexOf('=') : -1;
    if (equals !== -1) {
      options.push({ name: word.slice(0, equals), value: word.slice(equals + 1), words: [word] });
      continue;
    }
    const value = optionsWithValue.has(word) ? words[at + 1] : undefined;
    options.push({
      name: word,
      value: value ?? null,
      words: value === undefined ? [word] : [word, value],
    });
    if (value !== undefined) at += 1;
  }
  return { options, rest };
}

/** The words of the options that each test file's process is to get. */
export function passedOn(options: readonly NodeOption[]): string[] {
  return options.filter(({ name }) => !notPassedOn.has(name)).flatMap(({ words }) => words);
}

/** True where tests are chosen by name, so that others (the canaries too) do not run. */
export function isFiltered(options: readonly NodeOption[]): boolean {
  return options.some(({ name }) => filters.has(name));
}

/** Whether an option was given; `name` with its dashes. */
export function has(options: readonly NodeOption[], name: string): boolean {
  return options.some((option) => option.name === name);
}

/** `--test-concurrency`, or null. */
export function concurrencyOf(options: readonly NodeOption[]): number | null {
  const value = options.findLast(({ name }) => name === '--test-concurrency')?.value ?? '';
  return /^[1-9]\d{0,3}$/.test(value) ? Number(value) : null;
}

/** Files that the options load, as written: `./setup.js`, `tsx`. */
export function loadedFiles(options: readonly NodeOption[]): string[] {
  return options.flatMap(({ name, value }) => (loads.has(name) && value !== null ? [value] : []));
}
