import { attacks } from './cases/secrets.ts';
import { suite } from './suite.ts';

suite(new URL('./cases/secrets.ts', import.meta.url), attacks);
