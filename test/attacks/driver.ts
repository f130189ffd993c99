/** The process that performs the attacks of one mode: the runner under attack. Started by `suite.ts`. */
import { Bench } from './bench.ts';
import type { Attack, Context, DriverReply, DriverRequest } from './context.ts';

const context: Context = JSON.parse(process.env.ATTACK_CONTEXT ?? 'null');

async function answer(request: DriverRequest): Promise<DriverReply> {
  const { title } = request;
  try {
    const { attacks }: { attacks: Attack<Bench>[] } = await import(request.module);
    const attack = attacks.find((candidate) => candidate.title === title);
    if (attack === undefined) throw new Error(`no attack called "${title}" in ${request.module}`);
    await attack.perform(new Bench(context));
    return { title, ok: true };
  } catch (error) {
    return {
      title,
      ok: false,
      error: error instanceof Error ? (error.stack ?? error.message) : String(error),
    };
  }
}

process.on('message', async (request: DriverRequest) => {
  process.send?.(await answer(request));
});

// Else a run that hangs would keep this process after the suite has given up on it.
process.on('disconnect', () => process.exit());
