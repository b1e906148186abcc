/** A minimal Twilio API for sending, as its own process. It answers after `--latency-ms`, or never with `--hang`. */
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { parseArgs } from 'node:util'

const { values } = parseArgs({
  options: { 'latency-ms': { type: 'string', default: '0' }, hang: { type: 'boolean', default: false } },
})
const latencyMs = Number(values['latency-ms'])
let taken = 0

function take(response: ServerResponse): void {
  taken += 1
  const sid = `SM${taken.toString(16).padStart(32, '0')}`
  response.writeHead(201, { 'content-type': 'application/json' }).end(JSON.stringify({ sid, status: 'queued' }))
}

/** It stores nothing, so lookups find nothing. */
function deny(response: ServerResponse): void {
  response
    .writeHead(404, { 'content-type': 'application/json' })
    .end('{"code":20404,"message":"not found","status":404}')
}

const server = createServer((request, response) => {
  request.resume().on('end', () => {
    if (!values.hang) setTimeout(() => (request.method === 'POST' ? take : deny)(response), latencyMs)
  })
})
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}\n`)
})
process.once('SIGTERM', () => {
  server.closeAllConnections()
  server.close()
})
