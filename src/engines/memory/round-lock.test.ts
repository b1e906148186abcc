import { roundLockContract } from '../../ports/round-lock.contract.ts'
import { memoryRoundLock } from './round-lock.ts'

roundLockContract('memory', async () => ({ rounds: memoryRoundLock(), [Symbol.asyncDispose]: async () => undefined }))
