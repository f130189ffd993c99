import { attacks } from './cases/network.ts';
import { suite } from './suite.ts';

suite('./cases/network.ts', attacks);
