import { breakersContract } from '../../ports/breakers.contract.ts'
import { inProcessBreakers } from './in-process-breakers.ts'

breakersContract('in-process', async () => {
  const breakers = inProcessBreakers()
  return { one: breakers, other: breakers, async [Symbol.asyncDispose]() {} }
})
