import { describe, expect, it } from 'vitest';
import { holdsCredentials } from './credential-files.ts';

describe('holdsCredentials', () => {
  it.each([
    '.env',
    'app/.env.production',
    'deploy/prod.env',
    '.envrc',
    '.npmrc',
    'a/.netrc',
    '.pypirc',
    '.aws/credentials',
    'home/.aws/config',
    'id_rsa',
    'keys/ID_ED25519',
    'certs/server.pem',
    'certs/server.KEY',
    'credentials.json',
    'config/secrets.yml',
    'service-account-prod.json',
    'store.p12',
    '.docker/config.json',
  ])('knows %s', (path) => {
    expect(holdsCredentials(path)).toBe(true);
  });

  it.each([
    '.env.example',
    '.env.sample',
    'src/env.py',
    'src/credentials.py',
    'src/secrets.ts',
    'tests/test_secrets.py',
    'id_rsa.pub',
    'src/keys.ts',
    'package.json',
    'src/.config/app.json',
    'key.py',
    'environment.json',
  ])('leaves %s alone', (path) => {
    expect(holdsCredentials(path)).toBe(false);
  });
});
