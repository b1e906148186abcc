/** Speaks SMTP to the listener of a gateway, one command after the other. */
import { once } from 'node:events'
import { connect } from 'node:net'
import { createInterface } from 'node:readline'

const LAST_LINE = /^\d{3} /

/** Each step is a command, or a whole mail after DATA. Throws at a reply that refuses one. */
export async function speakSmtp(port: number, steps: readonly string[]): Promise<void> {
  const socket = connect(port, '127.0.0.1')
  const replies = createInterface({ input: socket })[Symbol.asyncIterator]()
  async function reply(to: string): Promise<void> {
    for (;;) {
      const { value, done } = await replies.next()
      if (done) throw new Error(`the SMTP listener hung up at ${to}`)
      if (!LAST_LINE.test(value)) continue
      if (/^[45]/.test(value)) throw new Error(`the SMTP listener answered ${value} to ${to}`)
      return
    }
  }
  try {
    await once(socket, 'connect')
    await reply('the connection')
    for (const step of [...steps, 'QUIT']) {
      socket.write(`${step}\r\n`)
      // Never what AUTH carries.
      await reply(step.slice(0, 4))
    }
  } finally {
    socket.destroy()
  }
}

/** A mail as DATA carries it. */
export const toData = (lines: readonly string[]): string => [...lines, '.'].join('\r\n')
