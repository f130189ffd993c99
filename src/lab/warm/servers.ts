import { AssayError } from '../../core/index.ts';
import type { ForkServer } from './fork-server.ts';

/** The fork servers of a pool: those at work and those that wait for some. */
export type Servers = {
  /** One that waits, else a new one; rejects where none can be had. */
  take(): Promise<ForkServer>;
  giveBack(server: ForkServer): void;
  /** It gave an answer: losses are counted from here anew. */
  answered(): void;
  /**
   * It is of no use any more, and is closed.
   * @throws AssayError `environment` after a dozen losses without an answer in between: the servers cannot run at all.
   */
  lose(server: ForkServer): Promise<void>;
  readonly lost: number;
  readonly closed: boolean;
  close(): Promise<void>;
};

/** Losses without a single answer in between that mean the servers cannot run at all. */
const hopeless = 12;

/** @param start makes one more fork server. */
export function openServers(start: () => Promise<ForkServer>): Servers {
  const idle: ForkServer[] = [];
  const live = new Set<ForkServer>();
  let lost = 0;
  let lossesInARow = 0;
  let closed = false;
  return {
    take: async () => {
      const server = idle.pop() ?? (await start());
      live.add(server);
      return server;
    },
    giveBack: (server) => {
      idle.push(server);
    },
    answered: () => {
      lossesInARow = 0;
    },
    lose: async (server) => {
      live.delete(server);
      lost += 1;
      lossesInARow += 1;
      await server.close();
      if (lossesInARow >= hopeless) throw hopelessError();
    },
    get lost() {
      return lost;
    },
    get closed() {
      return closed;
    },
    close: async () => {
      closed = true;
      await Promise.all([...live].map((server) => server.close()));
    },
  };
}

function hopelessError(): AssayError {
  return new AssayError({
    code: 'environment',
    message: `The warm evaluator was lost ${hopeless} times in a row.`,
    because: 'its process in the sandbox dies or answers nothing, whatever it is given',
    fix: 'run `assay doctor`; if the machine is fine, the tests need more memory or processes than the limits allow',
  });
}
