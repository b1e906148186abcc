/** `pombo bench`: runs the benchmarks and passes its arguments to them. */
import type { Command } from './command.ts'

export const bench: Command = {
  name: 'bench',
  summary: 'Run the benchmarks on this machine; arguments are passed to bench/main.ts.',
  run: (world, argv) => world.runScript('bench/main.ts', argv),
}
