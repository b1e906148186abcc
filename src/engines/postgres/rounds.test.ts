import { sharePostgres } from '../../../test/support/postgres-server.ts'
import { roundsContract } from '../../ports/rounds.contract.ts'
import { openStores } from './database.fixture.ts'
import { postgresRounds } from './rounds.ts'

const { migrated } = await sharePostgres()

roundsContract('postgres', () => openStores(migrated, (db) => ({ rounds: postgresRounds(db) })))
