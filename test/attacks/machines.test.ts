import { attacks } from './cases/machines.ts';
import { suite } from './suite.ts';

suite('./cases/machines.ts', attacks);
