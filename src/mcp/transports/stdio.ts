/** MCP over standard input and output, for a client that starts this process. It ends with the input. */
import type { Readable, Writable } from 'node:stream'
import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import { isJSONRPCRequest, type RequestId } from '@modelcontextprotocol/sdk/types.js'
import { type Signal, signal } from '../../lib/signal.ts'
import { millis } from '../../lib/time.ts'
import { readAccess } from '../access.ts'
import { inTime, type Send } from '../gateway.ts'
import { openServer, type ServerOptions } from '../server.ts'

export type StdioOptions = Readonly<{
  input: Readable
  output: Writable
  stop: AbortSignal
  send: Send
  shared: ServerOptions
  /** Called if the gateway cannot be asked what the credentials may do; every call tries again. */
  onUnreachable: (reason: string) => void
}>

/** `denied`: the gateway refuses the credentials, so nothing was served. */
export type Served = Readonly<{ kind: 'ended' }> | Readonly<{ kind: 'denied'; reason: string }>

/** For calls in progress when the input ends. */
const FINISH_WITHIN = millis(5_000)

export async function serveStdio({ send, shared, onUnreachable, ...streams }: StdioOptions): Promise<Served> {
  const found = await readAccess(inTime(send))
  if (found.kind === 'denied') return found
  if (found.kind === 'unreachable') onUnreachable(found.reason)
  await serve(openServer(shared, send, found.kind === 'granted' ? found.access : undefined), streams)
  return { kind: 'ended' }
}

type Streams = Pick<StdioOptions, 'input' | 'output' | 'stop'>

/** Resolves when the input has ended, the client has closed the connection, or `stop` aborts. */
async function serve(server: McpServer, { input, output, stop }: Streams): Promise<void> {
  const over = new AbortController()
  const end = (): void => over.abort()
  const ending = AbortSignal.any([over.signal, stop])
  for (const event of ['end', 'close', 'error']) input.once(event, end)
  const transport = new StdioServerTransport(input, output)
  await server.connect(transport)
  server.server.onclose = end

  const answered = signal()
  const unanswered = followRequests(transport, answered)
  await signal().wait(ending)
  while (unanswered.size > 0 && !stop.aborted) {
    const before = unanswered.size
    await answered.wait(stop, FINISH_WITHIN)
    if (unanswered.size === before) break
  }
  await server.close()
}

/** The requests that were read and not answered yet. */
function followRequests(transport: StdioServerTransport, answered: Signal): ReadonlySet<RequestId> {
  const unanswered = new Set<RequestId>()
  const receive = transport.onmessage
  const send = transport.send.bind(transport)
  transport.onmessage = (message) => {
    if (isJSONRPCRequest(message)) unanswered.add(message.id)
    receive?.(message)
  }
  transport.send = async (message) => {
    await send(message)
    if ('method' in message || message.id === undefined) return
    unanswered.delete(message.id)
    answered.notify()
  }
  return unanswered
}
