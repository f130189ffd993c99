import { attacks } from './cases/lifecycle.ts';
import { suite } from './suite.ts';

suite('./cases/lifecycle.ts', attacks);
