/**
 * Works out something about a part of a file once: `what` names the question, `about` the part. The same question must
 * always be answered in the same way, so its answer has one type.
 */
export type Memo = <T>(what: string, about: object, answer: () => T) => T;

/** A memo that knows nothing yet. It keeps what it was asked about alive. */
export function createMemo(): Memo {
  const known = new Map<string, Map<object, unknown>>();
  return <T>(what: string, about: object, answer: () => T): T => {
    const answers = known.get(what) ?? new Map<object, unknown>();
    known.set(what, answers);
    if (!answers.has(about)) answers.set(about, answer());
    return answers.get(about) as T;
  };
}
