/**
 * Bounds how many connections there are, in all and per address: whoever has only connected has shown no token yet. The
 * addresses of trusted proxies may have as many as fit.
 */
import type { Server } from 'node:http'
import { isIPv6, type Socket } from 'node:net'
import type { Logger } from 'pino'

export type ConnectionBounds = Readonly<{
  connections: number
  perAddress: number
  isTrusted: (address: string) => boolean
}>

const REPORT_EVERY_MS = 10_000

export function boundConnections(
  server: Server,
  { connections, perAddress, isTrusted }: ConnectionBounds,
  logger: Logger,
): void {
  const refused = refusals(logger)
  const open = new Map<string, number>()
  server.maxConnections = connections
  server.on('drop', () => refused('too many connections'))

  server.on('connection', (socket: Socket) => {
    const { remoteAddress: address } = socket
    if (address === undefined || isTrusted(address)) return
    const network = toNetwork(address)
    const count = (open.get(network) ?? 0) + 1
    if (count > perAddress) {
      refused('too many connections of one address')
      socket.destroy()
      return
    }
    open.set(network, count)
    socket.once('close', () => {
      const left = (open.get(network) ?? 1) - 1
      if (left === 0) open.delete(network)
      else open.set(network, left)
    })
  })
}

/** One customer of an IPv6 provider has at least a /64, and any address in it. */
export function toNetwork(address: string): string {
  if (!isIPv6(address)) return address
  const [, mapped] = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address) ?? []
  if (mapped !== undefined) return mapped
  const [head = '', tail] = address.split('%')[0]?.split('::') ?? []
  const groups = head === '' ? [] : head.split(':')
  const rest = tail === undefined || tail === '' ? [] : tail.split(':')
  const zeros = tail === undefined ? [] : new Array<string>(Math.max(0, 8 - groups.length - rest.length)).fill('0')
  return [...groups, ...zeros, ...rest].slice(0, 4).join(':')
}

/** One line from time to time, whatever somebody does. */
function refusals(logger: Logger): (reason: string) => void {
  const counts = new Map<string, number>()
  let reportedAt = Number.NEGATIVE_INFINITY
  return (reason) => {
    counts.set(reason, (counts.get(reason) ?? 0) + 1)
    const now = performance.now()
    if (now - reportedAt < REPORT_EVERY_MS) return
    reportedAt = now
    for (const [why, count] of counts) logger.warn({ reason: why, count }, 'http: connections refused')
    counts.clear()
  }
}
