import { randomUUID } from 'node:crypto';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe } from 'vitest';
import { e2bCapabilities, openE2bKernel } from '../../src/kernel/index.ts';
import { conformance } from './conformance.ts';
import { E2bStandIn } from './e2b-stand-in/stand-in.ts';

describe('E2B, by its SDK, against a stand-in of the service', () => {
  let service: E2bStandIn;
  beforeAll(async () => {
    service = await E2bStandIn.start();
  });
  afterAll(() => service.close());

  conformance(
    (options) =>
      openE2bKernel({
        env: service.env,
        remoteFolder: path.join(tmpdir(), `assay-e2b-remote-${randomUUID()}`),
        interruptGraceMs: 2000,
        ...options,
      }),
    e2bCapabilities,
  );
});
