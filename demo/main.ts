/** `npm run demo`: a gateway with simulated traffic through the public API, and a link to its console. */
import { HELP, type Options, parseOptions } from './options.ts'
import { runDemo } from './run.ts'

/** Aborts on Ctrl-C, which may arrive twice (from the terminal and from npm), or after --seconds. */
function stopSignal({ seconds }: Options): AbortSignal {
  const stop = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => stop.abort())
  return AbortSignal.any([stop.signal, ...(seconds === undefined ? [] : [AbortSignal.timeout(seconds * 1_000)])])
}

const write = (text: string): void => {
  process.stdout.write(text)
}

// Whatever the demo creates is its owner's alone, as with the gateway.
process.umask(0o077)

try {
  const options = parseOptions(process.argv.slice(2), process.env)
  if (options === undefined) write(HELP)
  else await runDemo(options, write, stopSignal(options))
} catch (error) {
  process.stderr.write(`demo: ${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = 1
}
