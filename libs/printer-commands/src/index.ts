export { commandEnd, type Blocks, type Command, type CommandKind, type CommandReader } from './command';
export { dle, esc, escposCommandAt, fs, gs, isIntroducer } from './escpos-commands';
export { starCommandAt } from './star-commands';
