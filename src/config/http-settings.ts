/** Settings of the HTTP server: how much callers may have open, and how long they may take. */
import { whole } from './setting.ts'

export const HTTP_SETTINGS = {
  maxConnections: whole(1, 1_000_000, {
    env: 'POMBO_MAX_CONNECTIONS',
    default: 10_000,
    description: 'The maximum number of open connections. Further ones are closed at once.',
  }),
  maxConnectionsPerAddress: whole(1, 1_000_000, {
    env: 'POMBO_MAX_CONNECTIONS_PER_ADDRESS',
    default: 5_000,
    description:
      'The maximum number of these from one IPv4 address or one IPv6 /64 network. Trusted proxies may have as many as fit.',
  }),
  headersTimeoutSeconds: whole(1, 600, {
    env: 'POMBO_HEADERS_TIMEOUT_SECONDS',
    default: 10,
    description: 'How long the headers of a request may take to arrive.',
  }),
  requestTimeoutSeconds: whole(1, 600, {
    env: 'POMBO_REQUEST_TIMEOUT_SECONDS',
    default: 30,
    description: 'How long a whole request may take to arrive.',
  }),
  maxStreams: whole(1, 100_000, {
    env: 'POMBO_MAX_STREAMS',
    default: 2_000,
    description: 'The maximum number of event streams (`GET /v1/events`) of this process.',
  }),
  maxStreamsPerTenant: whole(1, 100_000, {
    env: 'POMBO_MAX_STREAMS_PER_TENANT',
    default: 100,
    description: 'The maximum number of these of one tenant.',
  }),
}
