/**
 * The HTTP server of a fake provider. It answers normally until a test sets another behaviour. Unless noted, a request
 * whose answer is lost has been accepted, as a real provider may have done.
 */
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'

export type FakeRequest = Readonly<{ method: string; path: string; headers: IncomingHttpHeaders; body: string }>
export type FakeResponse = Readonly<{ status: number; headers?: Readonly<Record<string, string>>; body: string }>

export type Behaviour =
  | 'well'
  /** Answers after a delay. */
  | 'slowly'
  /** Accepts the request and never answers. */
  | 'hang'
  /** Sends half of the answer and keeps the connection open. */
  | 'hang half-way'
  /** Accepts the request and closes the connection. */
  | 'hang up'
  /** Accepts the request and closes the connection in the middle of the answer. */
  | 'cut short'
  /** Reads the request, does not accept it and never answers. */
  | 'swallow'
  /** Resets the connection before it has read the whole request. */
  | 'reset'
  /** Answers with bytes that are not HTTP. */
  | 'babble'
  /** Answers this and accepts nothing. */
  | FakeResponse
  /** Writes this instead of an answer, accepts nothing and closes the connection. */
  | Readonly<{ raw: string }>

export type FakeHttp = AsyncDisposable &
  Readonly<{
    url: string
    /** Every request it has read, oldest first. */
    requests: readonly FakeRequest[]
    behave: (behaviour: Behaviour) => void
    /** Closes the port: connections are refused from now on. */
    stop: () => Promise<void>
  }>

const SLOW_MS = 150

export async function openFakeHttp(answer: (request: FakeRequest) => FakeResponse): Promise<FakeHttp> {
  const requests: FakeRequest[] = []
  let behaviour: Behaviour = 'well'
  const server = createServer((request, response) => {
    if (behaviour === 'reset') {
      request.socket.resetAndDestroy()
      return
    }
    void readRequest(request).then((read) => {
      requests.push(read)
      respond(behaviour, response, () => answer(read))
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
    requests,
    behave: (next) => {
      behaviour = next
    },
    stop,
    [Symbol.asyncDispose]: stop,
  }
}

async function readRequest(request: IncomingMessage): Promise<FakeRequest> {
  const body = Buffer.concat(await Array.fromAsync(request)).toString()
  return { method: request.method ?? '', path: request.url ?? '', headers: request.headers, body }
}

function respond(behaviour: Behaviour, response: ServerResponse, answer: () => FakeResponse): void {
  if (typeof behaviour === 'object') {
    if ('raw' in behaviour) response.socket?.end(behaviour.raw)
    else writeResponse(response, behaviour)
    return
  }
  if (behaviour === 'swallow' || behaviour === 'reset') return
  const answered = answer()
  switch (behaviour) {
    case 'well':
      writeResponse(response, answered)
      return
    case 'slowly':
      setTimeout(() => writeResponse(response, answered), SLOW_MS)
      return
    case 'hang':
      return
    case 'hang half-way':
      respondHalf(response, answered)
      return
    case 'cut short':
      respondHalf(response, answered)
      response.socket?.end()
      return
    case 'hang up':
      response.socket?.destroy()
      return
    case 'babble':
      response.socket?.end('coo coo\r\n\r\n')
  }
}

function respondHalf(response: ServerResponse, { status, headers, body }: FakeResponse): void {
  response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) })
  response.write(body.slice(0, body.length / 2))
}

const writeResponse = (response: ServerResponse, { status, headers = {}, body }: FakeResponse): void => {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body)
}

export const jsonResponse = (
  status: number,
  json: unknown,
  headers: Readonly<Record<string, string>> = {},
): FakeResponse => ({
  status,
  headers,
  body: JSON.stringify(json),
})
