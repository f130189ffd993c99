import { attacks } from './cases/crowd.ts';
import { suite } from './suite.ts';

suite('./cases/crowd.ts', attacks);
