/** Asks questions at the terminal. */
import { createInterface, type Interface } from 'node:readline/promises'
import { Writable } from 'node:stream'

const INTERRUPTED = 130

let isMuted = false
/** What readline echoes; the echo of a secret goes nowhere. */
const echo = new Writable({
  write(chunk, _encoding, done) {
    if (!isMuted) process.stdout.write(chunk)
    done()
  },
})
let opened: Interface | undefined

/** One interface for all questions: another would lose lines that were typed ahead. */
function openInterface(): Interface {
  const lines = createInterface({ input: process.stdin, output: echo, terminal: true })
  // Ctrl+C and Ctrl+D would leave the question open forever.
  lines.once('SIGINT', leave).once('close', leave)
  return lines
}

function leave(): never {
  process.stdout.write('\n')
  process.exit(INTERRUPTED)
}

export async function ask(question: string, { isSecret }: Readonly<{ isSecret: boolean }>): Promise<string> {
  opened ??= openInterface()
  if (!isSecret) return await opened.question(question)
  process.stdout.write(question)
  isMuted = true
  try {
    return await opened.question('')
  } finally {
    isMuted = false
    process.stdout.write('\n')
  }
}
