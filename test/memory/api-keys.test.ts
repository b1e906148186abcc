import { apiKeysContract } from '../../src/ports/api-keys.contract.ts'
import { memoryApiKeys } from './api-keys.ts'

apiKeysContract('memory', async () => ({ apiKeys: memoryApiKeys(), async [Symbol.asyncDispose]() {} }))
