import { endpointsContract } from '../../ports/endpoints.contract.ts'
import { noticesContract } from '../../ports/webhook-deliveries.contract.ts'
import { memoryEndpoints } from './endpoints.ts'
import { memoryNotices } from './webhook-deliveries.ts'

async function open() {
  const endpoints = memoryEndpoints()
  return { endpoints, notices: memoryNotices(endpoints), async [Symbol.asyncDispose]() {} }
}

endpointsContract('memory', open)
noticesContract('memory', open)
