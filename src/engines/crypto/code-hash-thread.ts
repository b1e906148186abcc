/** A thread that hashes with bcrypt, at the lowest priority: it uses the CPU that sending leaves idle. */
import { hashSync, verifySync } from '@node-rs/bcrypt'
import { serveThread } from '../../lib/thread-rpc.ts'

/** `keyed` is the code under the pepper. */
export type HashMethods = {
  hash: (keyed: string, cost: number) => string
  verify: (keyed: string, hash: string) => boolean
}

await serveThread<HashMethods>(
  () => ({
    methods: { hash: (keyed, cost) => hashSync(keyed, cost), verify: (keyed, hash) => verifySync(keyed, hash) },
  }),
  { niceness: 19 },
)
