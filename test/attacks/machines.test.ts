import { attacks } from './cases/machines.ts';
import { suite } from './suite.ts';

suite(new URL('./cases/machines.ts', import.meta.url), attacks);
