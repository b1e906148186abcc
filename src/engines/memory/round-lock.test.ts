import { roundsContract } from '../../ports/round-lock.contract.ts'
import { memoryRounds } from './round-lock.ts'

roundsContract('memory', async () => ({ rounds: memoryRounds(), [Symbol.asyncDispose]: async () => undefined }))
