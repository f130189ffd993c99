/**
 * Finds the tests of a JavaScript or TypeScript file by its text alone: calls of `test`, `it`, `describe` and `suite`
 * whose first argument is a plain string. Names made at run time are left out: nothing can be said about them here.
 */

const declarers = new Map([
  ['test', 'test'],
  ['it', 'test'],
  ['describe', 'suite'],
  ['suite', 'suite'],
]);

export function staticIds(text, file) {
  const tokens = tokensOf(text);
  /** Open brackets; those that a declaring call opened carry what it declares. */
  const open = [];
  const count = new Map();
  const ids = [];
  for (let at = 0; at < tokens.length; at += 1) {
    const token = tokens[at];
    if (token.kind === 'open') {
      open.push(declaredBy(tokens, at));
      const around = open.filter((each) => each !== null);
      const declared = open.at(-1);
      const inTest = around.slice(0, -1).some(({ kind }) => kind === 'test');
      const named = around.every(({ name }) => name !== null);
      if (declared?.kind === 'test' && named && !inTest) {
        const plain = [file, ...around.map(({ name }) => name)].join(' > ');
        const seen = (count.get(plain) ?? 0) + 1;
        count.set(plain, seen);
        ids.push(seen === 1 ? plain : `${plain}#${seen}`);
      }
    } else if (token.kind === 'close') open.pop();
  }
  return ids;
}

/** What the call declares whose `(` is at `at`: `{ kind, name }`, name null where it is no plain string. */
function declaredBy(tokens, at) {
  if (tokens[at].text !== '(') return null;
  let callee = at - 1;
  if (tokens[callee - 1]?.text === '.' && /^(only|skip|todo|expectFailure)$/.test(tokens[callee].text))
    callee -= 2;
  const kind = tokens[callee]?.kind === 'word' ? declarers.get(tokens[callee].text) : undefined;
  if (kind === undefined || ['.', '?.', 'function'].includes(tokens[callee - 1]?.text)) return null;
  const first = tokens[at + 1];
  const ends = tokens[at + 2]?.text;
  const plain = first?.kind === 'string' && (ends === ',' || ends === ')');
  return { kind, name: plain ? first.text : null };
}

const wordPattern = /[\p{ID_Continue}$#]+/uy;

/** Words, strings, brackets and other signs; comments, regular expressions and the inside of templates are passed over. */
function tokensOf(text) {
  const tokens = [];
  let at = 0;
  while (at < text.length) {
    const character = text[at];
    if (/\s/.test(character)) at += 1;
    else if (text.startsWith('//', at)) at = endOf(text, '\n', at);
    else if (text.startsWith('/*', at)) at = endOf(text, '*/', at);
    else if (character === '"' || character === "'") at = readString(text, at, tokens);
    else if (character === '`') at = readTemplate(text, at, tokens);
    else if (character === '/' && startsExpression(tokens.at(-1))) at = readRegExp(text, at, tokens);
    else at = readSign(text, at, tokens);
  }
  return tokens;
}

function endOf(text, mark, at) {
  const found = text.indexOf(mark, at + 2);
  return found === -1 ? text.length : found + mark.length;
}

/** A slash starts a regular expression where a value cannot have just ended. */
function startsExpression(previous) {
  if (previous === undefined) return true;
  if (previous.kind === 'word')
    return /^(return|typeof|case|in|of|do|else|void|await|yield|new|delete)$/.test(previous.text);
  return previous.kind === 'open' || previous.kind === 'sign';
}

function readSign(text, at, tokens) {
  wordPattern.lastIndex = at;
  const word = wordPattern.exec(text)?.[0];
  if (word !== undefined) {
    tokens.push({ kind: 'word', text: word });
    return at + word.length;
  }
  const sign = text.startsWith('?.', at) ? '?.' : text[at];
  const kind = '([{'.includes(sign) ? 'open' : ')]}'.includes(sign) ? 'close' : 'sign';
  tokens.push({ kind, text: sign });
  return at + sign.length;
}

function readString(text, at, tokens) {
  const quote = text[at];
  let end = at + 1;
  while (end < text.length && text[end] !== quote && text[end] !== '\n') end += text[end] === '\\' ? 2 : 1;
  tokens.push({ kind: 'string', text: unescaped(text.slice(at + 1, end)) });
  return end + 1;
}

/** A template without `${}` is a plain string; the code inside the others is no place for a test. */
function readTemplate(text, at, tokens) {
  let depth = 0;
  let plain = true;
  let end = at + 1;
  for (; end < text.length; end += 1) {
    const character = text[end];
    if (character === '\\') end += 1;
    else if (depth === 0 && character === '`') break;
    else if (text.startsWith('${', end)) {
      plain = false;
      depth += 1;
      end += 1;
    } else if (depth > 0 && character === '{') depth += 1;
    else if (depth > 0 && character === '}') depth -= 1;
    else if (depth > 0 && character === '`') end = readTemplate(text, end, []) - 1;
  }
  tokens.push({ kind: plain ? 'string' : 'value', text: unescaped(text.slice(at + 1, end)) });
  return end + 1;
}

function readRegExp(text, at, tokens) {
  let inClass = false;
  let end = at + 1;
  for (; end < text.length && text[end] !== '\n'; end += 1) {
    const character = text[end];
    if (character === '\\') end += 1;
    else if (character === '[') inClass = true;
    else if (character === ']') inClass = false;
    else if (character === '/' && !inClass) break;
  }
  tokens.push({ kind: 'value', text: '' });
  return end + 1;
}

const escapes = { n: '\n', t: '\t', r: '\r', b: '\b', f: '\f', v: '\v', 0: '\0' };

function unescaped(raw) {
  return raw.replace(
    /\\(?:u\{([0-9a-fA-F]+)\}|u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|\r?\n|([\s\S]))/g,
    (_whole, braced, unicode, hex, single) => {
      const code = braced ?? unicode ?? hex;
      if (code !== undefined) return String.fromCodePoint(Math.min(Number.parseInt(code, 16), 0x10ffff));
      return single === undefined ? '' : (escapes[single] ?? single);
    },
  );
}
