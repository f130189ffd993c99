import { attacks } from './cases/processes.ts';
import { suite } from './suite.ts';

suite('./cases/processes.ts', attacks);
