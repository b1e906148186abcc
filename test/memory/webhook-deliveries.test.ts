import { endpointsContract } from '../../src/ports/endpoints.contract.ts'
import { webhookAttemptsContract } from '../../src/ports/webhook-attempts.contract.ts'
import { webhookDeliveriesContract } from '../../src/ports/webhook-deliveries.contract.ts'
import { memoryEndpoints } from './endpoints.ts'
import { memoryWebhookAttempts } from './webhook-attempts.ts'
import { memoryWebhookDeliveries } from './webhook-deliveries.ts'

async function open() {
  const endpoints = memoryEndpoints()
  return {
    endpoints,
    webhookDeliveries: memoryWebhookDeliveries(endpoints),
    webhookAttempts: memoryWebhookAttempts(endpoints),
    async [Symbol.asyncDispose]() {},
  }
}

endpointsContract('memory', open)
webhookDeliveriesContract('memory', open)
webhookAttemptsContract('memory', open)
