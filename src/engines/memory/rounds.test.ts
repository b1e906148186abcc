import { roundsContract } from '../../ports/rounds.contract.ts'
import { memoryRounds } from './rounds.ts'

roundsContract('memory', async () => ({ rounds: memoryRounds(), [Symbol.asyncDispose]: async () => undefined }))
