/** The thread that reads bounces which anybody may have sent. */
import type { AttemptRef } from '../../domain/ids.ts'
import { serveThread } from '../../lib/thread-rpc.ts'
import type { Receipt } from '../../ports/provider.ts'
import { readDsn } from './dsn.ts'

export type DsnMethods = { read: (raw: Uint8Array, ref: AttemptRef) => readonly Receipt[] }

await serveThread<DsnMethods>(() => ({ methods: { read: readDsn } }), {
  niceness: 10,
  // Not its message, which could quote the mail.
  encodeError: (error) => error.name,
})
