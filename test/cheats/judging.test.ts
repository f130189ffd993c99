import { judging } from './cases/judging.ts';
import { suiteOfCheats } from './suite.ts';

suiteOfCheats(judging);
