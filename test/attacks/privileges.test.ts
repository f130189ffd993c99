import { attacks } from './cases/privileges.ts';
import { suite } from './suite.ts';

suite(new URL('./cases/privileges.ts', import.meta.url), attacks);
