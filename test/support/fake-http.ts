/**
 * The HTTP side of a fake provider: it answers as the fake has it, until it is told to behave badly. What
 * it does not answer it has taken all the same, as a real provider may have.
 */
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'

export type Heard = Readonly<{ method: string; path: string; headers: IncomingHttpHeaders; body: string }>
export type Said = Readonly<{ status: number; headers?: Readonly<Record<string, string>>; body: string }>

export type Conduct =
  | 'well'
  /** Answers, after a while. */
  | 'slowly'
  /** Takes the request, and says nothing more. */
  | 'hang'
  /** Breaks off in the middle of the answer, and keeps the connection. */
  | 'hang half-way'
  /** Takes the request, and closes the connection. */
  | 'hang up'
  /** Takes the request, and closes the connection in the middle of the answer. */
  | 'cut short'
  /** Reads the request, and neither takes it nor says anything more. */
  | 'swallow'
  /** Resets the connection before it has read the whole request. */
  | 'reset'
  /** Answers in something that is not HTTP. */
  | 'babble'
  /** Says this, and takes nothing. */
  | Said
  /** Writes this in the place of an answer, takes nothing, and closes the connection. */
  | Readonly<{ raw: string }>

export type FakeHttp = AsyncDisposable &
  Readonly<{
    url: string
    /** Every request it read, oldest first. */
    heard: readonly Heard[]
    behave: (conduct: Conduct) => void
    /** From now on nothing listens there. */
    stop: () => Promise<void>
  }>

const SLOW_MS = 150

export async function openFakeHttp(answer: (heard: Heard) => Said): Promise<FakeHttp> {
  const heard: Heard[] = []
  let conduct: Conduct = 'well'
  const server = createServer((request, response) => {
    if (conduct === 'reset') {
      request.socket.resetAndDestroy()
      return
    }
    void hear(request).then((one) => {
      heard.push(one)
      respond(conduct, response, () => answer(one))
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const stop = async (): Promise<void> => {
    server.closeAllConnections()
    if (server.listening) await new Promise((resolve) => server.close(resolve))
  }
  return {
    url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`,
    heard,
    behave: (next) => {
      conduct = next
    },
    stop,
    [Symbol.asyncDispose]: stop,
  }
}

async function hear(request: IncomingMessage): Promise<Heard> {
  const body = Buffer.concat(await Array.fromAsync(request)).toString()
  return { method: request.method ?? '', path: request.url ?? '', headers: request.headers, body }
}

function respond(conduct: Conduct, response: ServerResponse, answer: () => Said): void {
  if (typeof conduct === 'object') {
    if ('raw' in conduct) response.socket?.end(conduct.raw)
    else say(response, conduct)
    return
  }
  if (conduct === 'swallow' || conduct === 'reset') return
  const said = answer()
  switch (conduct) {
    case 'well':
      say(response, said)
      return
    case 'slowly':
      setTimeout(() => say(response, said), SLOW_MS)
      return
    case 'hang':
      return
    case 'hang half-way':
      sayHalf(response, said)
      return
    case 'cut short':
      sayHalf(response, said)
      response.socket?.end()
      return
    case 'hang up':
      response.socket?.destroy()
      return
    case 'babble':
      response.socket?.end('coo coo\r\n\r\n')
  }
}

function sayHalf(response: ServerResponse, { status, headers, body }: Said): void {
  response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) })
  response.write(body.slice(0, body.length / 2))
}

const say = (response: ServerResponse, { status, headers = {}, body }: Said): void => {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body)
}

export const saying = (status: number, json: unknown, headers: Readonly<Record<string, string>> = {}): Said => ({
  status,
  headers,
  body: JSON.stringify(json),
})
