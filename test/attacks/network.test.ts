import { attacks } from './cases/network.ts';
import { suite } from './suite.ts';

suite(new URL('./cases/network.ts', import.meta.url), attacks);
