/**
 * The commands of a package.json script that run one after the other, each as words: `tsc && node --test "a b"` is
 * `[['tsc'], ['node', '--test', 'a b']]`. Null where it needs a shell to be understood (variables, substitutions,
 * redirections, unbalanced quotes). Pure.
 */
export function scriptCommands(script: string): string[][] | null {
  const commands: string[][] = [[]];
  let word: string | null = null;
  let at = 0;
  const endWord = () => {
    if (word !== null) commands.at(-1)?.push(word);
    word = null;
  };
  while (at < script.length) {
    const character = script[at] ?? '';
    if (character === "'" || character === '"') {
      const end = script.indexOf(character, at + 1);
      if (end === -1) return null;
      const quoted: string = script.slice(at + 1, end);
      if (character === '"' && /[$`]/.test(quoted)) return null;
      word = (word ?? '') + (character === '"' ? quoted.replaceAll('\\\\', '\\') : quoted);
      at = end + 1;
    } else if (/\s/.test(character)) {
      endWord();
      at += 1;
    } else if (script.startsWith('&&', at) || character === ';') {
      endWord();
      commands.push([]);
      at += character === ';' ? 1 : 2;
    } else if (/[$`|&<>()\\]/.test(character)) return null;
    else {
      word = (word ?? '') + character;
      at += 1;
    }
  }
  endWord();
  return commands.filter((command) => command.length > 0);
}
