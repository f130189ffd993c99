/** A priority queue: the highest score first, equal scores in the order they came. */
export type Heap<T> = {
  readonly size: number;
  push(score: number, value: T): void;
  pop(): { score: number; value: T } | undefined;
  /** The highest score, or -Infinity. */
  peek(): number;
};

type Entry<T> = { score: number; order: number; value: T };

/** An empty binary heap; of equal scores the one pushed first comes first. */
export function createHeap<T>(): Heap<T> {
  const entries: Entry<T>[] = [];
  let pushed = 0;
  const above = (a: Entry<T>, b: Entry<T>) => a.score > b.score || (a.score === b.score && a.order < b.order);
  const rise = (from: number) => {
    for (let at = from; at > 0; ) {
      const parent = (at - 1) >> 1;
      if (!exchange(entries, at, parent, above)) return;
      at = parent;
    }
  };
  const sink = () => {
    for (let at = 0; ; ) {
      const left = 2 * at + 1;
      const right = left + 1;
      const a = entries[left];
      const b = entries[right];
      if (a === undefined) return;
      const below = b !== undefined && above(b, a) ? right : left;
      if (!exchange(entries, below, at, above)) return;
      at = below;
    }
  };
  return {
    get size() {
      return entries.length;
    },
    push(score, value) {
      entries.push({ score, order: pushed, value });
      pushed += 1;
      rise(entries.length - 1);
    },
    pop() {
      const top = entries[0];
      const last = entries.pop();
      if (top === undefined || last === undefined) return undefined;
      if (entries.length > 0) {
        entries[0] = last;
        sink();
      }
      return { score: top.score, value: top.value };
    },
    peek: () => entries[0]?.score ?? Number.NEGATIVE_INFINITY,
  };
}

/** Exchanges two entries where the lower one (`at`) belongs above `parent`. */
function exchange<T>(
  entries: Entry<T>[],
  at: number,
  parent: number,
  above: (a: Entry<T>, b: Entry<T>) => boolean,
): boolean {
  const a = entries[at];
  const b = entries[parent];
  if (a === undefined || b === undefined || !above(a, b)) return false;
  entries[at] = b;
  entries[parent] = a;
  return true;
}
