/** Parses the broker's address: one or more servers, and their credentials. */
import type { ConnectionOptions } from '@nats-io/transport-node'

const PORT = '4222'

/** The driver takes hosts and credentials separately; all servers of a cluster share the credentials. */
export function parseServers(url: string): ConnectionOptions {
  const urls = toUrls(url)
  const [first] = urls
  const { username = '', password = '' } = first ?? {}
  return {
    servers: urls.map(({ host, hostname, port }) => (port === '' ? `${hostname}:${PORT}` : host)),
    ...(urls.some(({ protocol }) => protocol === 'tls:') && { tls: {} }),
    ...toLogin(decodeURIComponent(username), decodeURIComponent(password)),
  }
}

/** A user without a password is a token. */
function toLogin(name: string, password: string): ConnectionOptions {
  if (name === '') return {}
  return password === '' ? { token: name } : { user: name, pass: password }
}

/** Without credentials, for logs and errors. */
export const toDisplay = (url: string): string =>
  toUrls(url)
    .map(({ host }) => host)
    .join(', ')

const toUrls = (url: string): readonly URL[] =>
  url.split(',').map((one) => new URL(one.includes('://') ? one.trim() : `nats://${one.trim()}`))
