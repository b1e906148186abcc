/** Whether one-time codes can be hashed here, found out by hashing one: for `pombo doctor`. */
import { randomBytes } from 'node:crypto'
import { openCodeHasher } from '../engines/crypto/code-hasher.ts'
import { type Check, failed, passed } from '../lib/check.ts'
import { reasonOf } from '../ports/unavailable.ts'

const LEAST_COST = 4

export async function checkCodes(): Promise<Check> {
  await using hasher = openCodeHasher({ masterKey: randomBytes(32), cost: LEAST_COST, threads: 1 })
  try {
    await hasher.check()
    return passed('codes', 'can be hashed')
  } catch (error) {
    return failed('codes', `cannot be hashed: ${reasonOf(error)}; run \`npm ci\` on this machine`)
  }
}
