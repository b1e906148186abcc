import { sharePostgres } from '../../../test/support/postgres-server.ts'
import { challengesContract } from '../../ports/challenges.contract.ts'
import { erasuresContract } from '../../ports/erasures.contract.ts'
import { limitedSendsContract } from '../../ports/limited-sends.contract.ts'
import { partialMessagesContract } from '../../ports/partial-messages.contract.ts'
import { projectedIndexContract } from '../../ports/projected-index.contract.ts'
import { providerResultsContract } from '../../ports/provider-results.contract.ts'
import { raisedAlertsContract } from '../../ports/raised-alerts.contract.ts'
import { receiptDeliveriesContract } from '../../ports/receipt-deliveries.contract.ts'
import { timelineContract } from '../../ports/timeline.contract.ts'
import { openPostgresIndex } from './postgres.ts'

const { migrated } = await sharePostgres()

async function open() {
  const database = await migrated()
  const postgres = await openPostgresIndex({ url: database.appUrl })
  return {
    ...postgres,
    async [Symbol.asyncDispose]() {
      await postgres[Symbol.asyncDispose]()
      await database[Symbol.asyncDispose]()
    },
  }
}

projectedIndexContract('postgres', open)
timelineContract('postgres', open)
challengesContract('postgres', open)
erasuresContract('postgres', open)
receiptDeliveriesContract('postgres', open)
partialMessagesContract('postgres', open)
raisedAlertsContract('postgres', open)
providerResultsContract('postgres', open)
limitedSendsContract('postgres', open)
