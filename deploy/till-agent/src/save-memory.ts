import { setFlagsFromString } from 'node:v8';

// This file must be imported before anything else is compiled. Compiled code and its compilers would need a sixth of
// the memory, and the agent is fast enough without them. The young generation keeps its initial size.
for (const flag of ['--no-opt', '--no-sparkplug', '--max-lazy', '--semi-space-growth-factor=1'])
  setFlagsFromString(flag);
