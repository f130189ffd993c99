import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import type { RawAnswer, ReplyAnswer, ScriptedAnswer } from './answers.fixture.ts';
import { wireOf } from './wires.fixture.ts';

export {
  errorAnswers,
  type RawAnswer,
  type ReplyAnswer,
  rateLimitAnswer,
  type ScriptedAnswer,
} from './answers.fixture.ts';

export type ServedRequest = { method: string; path: string; headers: IncomingHttpHeaders; body: unknown };

export type ScriptedServer = {
  /** `http://127.0.0.1:PORT/v1`: the base URL to give. */
  url: string;
  /** What was asked so far, in order. */
  requests: readonly ServedRequest[];
  /** Ends it, its open connections too. */
  close: () => Promise<void>;
};

/** The answers in turn (the last one again and again), or one made for each request. */
export type Script = readonly ScriptedAnswer[] | ((request: ServedRequest, count: number) => ScriptedAnswer);

/**
 * A model's server on 127.0.0.1 that answers by a script: OpenAI chat completions (`/v1/chat/completions`, streamed
 * or whole as asked), OpenAI responses, Anthropic messages and Gemini by their paths. For tests.
 */
export async function startScriptedServer({ script }: { script: Script }): Promise<ScriptedServer> {
  const requests: ServedRequest[] = [];
  const server = createServer((incoming, response) => {
    // A client that goes away in the middle is what many tests are about.
    response.on('error', () => {});
    void serve(incoming, response).catch(() => response.destroy());
  });
  const serve = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const request = await read(incoming);
    requests.push(request);
    const count = requests.length;
    const answer =
      typeof script === 'function' ? script(request, count - 1) : (script[count - 1] ?? script.at(-1));
    if (answer === undefined) throw new Error('the script is empty');
    await send(answer, request, response);
  };
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  return {
    url: `http://127.0.0.1:${address.port}/v1`,
    requests,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function read(incoming: IncomingMessage): Promise<ServedRequest> {
  const pieces: Uint8Array[] = [];
  for await (const piece of incoming) pieces.push(piece);
  const text = Buffer.concat(pieces).toString('utf8');
  return {
    method: incoming.method ?? '',
    path: incoming.url ?? '',
    headers: incoming.headers,
    body: text === '' ? null : JSON.parse(text),
  };
}

async function send(answer: ScriptedAnswer, request: ServedRequest, response: ServerResponse): Promise<void> {
  if ('hang' in answer) return;
  if ('status' in answer) return sendRaw(answer, response);
  await sendReply(answer, request, response);
}

function sendRaw(answer: RawAnswer, response: ServerResponse): void {
  response.writeHead(answer.status, answer.headers);
  if (!answer.cut) {
    response.end(answer.body);
    return;
  }
  response.flushHeaders();
  response.write(answer.body, () => response.destroy());
}

const bodySchema = z
  .object({ model: z.string().catch('model'), stream: z.boolean().catch(false) })
  .catch({ model: 'model', stream: false });

async function sendReply(
  answer: ReplyAnswer,
  request: ServedRequest,
  response: ServerResponse,
): Promise<void> {
  const wire = wireOf(request.path.split('?')[0] ?? '');
  if (wire === null) {
    sendRaw({ status: 404, body: '404 page not found', headers: { 'content-type': 'text/plain' } }, response);
    return;
  }
  const { model, stream } = bodySchema.parse(request.body);
  const { events, whole } = wire(answer, model);
  if ((answer.whole === true || !stream) && whole !== null) {
    sendRaw(
      { status: 200, body: JSON.stringify(whole), headers: { 'content-type': 'application/json' } },
      response,
    );
    return;
  }
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.flushHeaders();
  const { stopAfter } = answer;
  for (const event of stopAfter === undefined ? events : events.slice(0, stopAfter.events)) {
    if (response.destroyed) return;
    if (answer.delayMs !== undefined) await sleep(answer.delayMs);
    const text = answer.keepAlive ? `: still here\n\n${event}` : event;
    if (!response.write(text)) await drained(response);
  }
  if (stopAfter?.how === 'silence') return;
  if (stopAfter?.how === 'cut') {
    // A torn connection takes along what the client has not read yet.
    await sleep(20);
    response.destroy();
    return;
  }
  response.end();
}

async function drained(response: ServerResponse): Promise<void> {
  await new Promise<void>((resolve) => {
    const go = (): void => {
      response.off('drain', go).off('close', go);
      resolve();
    };
    response.on('drain', go).on('close', go);
  });
}
