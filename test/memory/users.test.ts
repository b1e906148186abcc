import { usersContract } from '../../src/ports/users.contract.ts'
import { memoryUsers } from './users.ts'

usersContract('memory', async () => ({ ...memoryUsers(), async [Symbol.asyncDispose]() {} }))
