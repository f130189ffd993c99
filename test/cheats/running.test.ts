import { running } from './cases/running.ts';
import { suiteOfCheats } from './suite.ts';

suiteOfCheats(running);
