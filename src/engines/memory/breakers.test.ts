import { breakersContract } from '../../ports/breakers.contract.ts'
import { memoryBreakers } from './breakers.ts'

breakersContract('memory', async () => {
  const breakers = memoryBreakers()
  return { one: breakers, other: breakers, async [Symbol.asyncDispose]() {} }
})
