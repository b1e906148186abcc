/** `pombo bench`: runs the benchmarks; everything after the name goes to them. */
import type { Command } from './command.ts'

export const bench: Command = {
  name: 'bench',
  summary: 'Measure how fast this machine is with Pombo; what follows goes to bench/main.ts.',
  run: (world, argv) => world.runScript('bench/main.ts', argv),
}
