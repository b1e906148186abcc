import { roundLockContract } from '../../ports/round-lock.contract.ts'
import { inProcessRoundLock } from './in-process-round-lock.ts'

roundLockContract('in-process', async () => ({
  rounds: inProcessRoundLock(),
  [Symbol.asyncDispose]: async () => undefined,
}))
