/** The check of `pombo doctor` that hashes a one-time code, because bcrypt is native code. */
import { randomBytes } from 'node:crypto'
import { openCodeHasher } from '../engines/crypto/code-hasher.ts'
import { type Check, failed, passed } from '../lib/check.ts'
import { reasonOf } from '../ports/unavailable.ts'

const MIN_COST = 4

export async function checkCodes(): Promise<Check> {
  await using hasher = openCodeHasher({ masterKey: randomBytes(32), cost: MIN_COST, threads: 1 })
  try {
    await hasher.check()
    return passed('codes', 'can be hashed')
  } catch (error) {
    return failed('codes', `cannot be hashed: ${reasonOf(error)}; run \`npm ci\` on this machine`)
  }
}
