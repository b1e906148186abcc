/**
 * Every fault there is a run for. The one that lists all messages goes first, while they are few. The slow
 * ways come after the restart: whoever a node of the broker has sent away may have found a way around them. They
 * also find a newer schema than the members know: an upgrade leaves it behind, and so does its roll-back.
 */
import type { Fault } from './fault.ts'
import { leader } from './leader.ts'
import { members } from './members.ts'
import { natsAway } from './nats-away.ts'
import { postgresAway } from './postgres-away.ts'
import { rolling } from './rolling.ts'
import { slowNats, slowNetwork, slowPostgres } from './slow.ts'
import { upgrade } from './upgrade.ts'

const COMMON: readonly Fault[] = [postgresAway, members, leader, natsAway, rolling, upgrade]

export const FAULTS: readonly Fault[] = [...COMMON, slowNats, slowPostgres]

/** In short, both ways are slow at once. */
export const FAULTS_IN_SHORT: readonly Fault[] = [...COMMON, slowNetwork]
