/** A thread that hashes passwords with scrypt, at the lowest priority: it uses the CPU that sending leaves idle. */
import { scryptSync } from 'node:crypto'
import { serveThread } from '../../lib/thread-rpc.ts'
import type { ScryptParameters } from './password-hash.ts'

export type PasswordMethods = {
  /** The derived key in base64. */
  derive: (password: string, salt: string, length: number, parameters: ScryptParameters) => string
}

/** Scrypt needs 128 × N × r bytes, and a little more. */
const maxmemOf = ({ cost, blockSize }: ScryptParameters): number => 2 * 128 * cost * blockSize

await serveThread<PasswordMethods>(
  () => ({
    methods: {
      derive: (password, salt, length, parameters) => {
        const { cost: N, blockSize: r, parallelization: p } = parameters
        const options = { N, r, p, maxmem: maxmemOf(parameters) }
        return scryptSync(password, Buffer.from(salt, 'base64'), length, options).toString('base64')
      },
    },
  }),
  { niceness: 19 },
)
