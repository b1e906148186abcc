/** `npm run demo`: a gateway with a lively scene, all of it through the public API, and the link to look at it. */
import { HELP, type Options, parseOptions } from './options.ts'
import { runDemo } from './run.ts'

/** Ends by Ctrl-C, which may come twice: from the terminal and from whoever started us; or by the time that was given. */
function stopSignal({ seconds }: Options): AbortSignal {
  const stop = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => stop.abort())
  return AbortSignal.any([stop.signal, ...(seconds === undefined ? [] : [AbortSignal.timeout(seconds * 1_000)])])
}

const write = (text: string): void => {
  process.stdout.write(text)
}

try {
  const options = parseOptions(process.argv.slice(2))
  if (options === undefined) write(HELP)
  else await runDemo(options, write, stopSignal(options))
} catch (error) {
  process.stderr.write(`demo: ${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = 1
}
