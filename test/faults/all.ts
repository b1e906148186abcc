/**
 * All faults, in order. The fault that lists all messages runs first, while they are few. The slow networks run on the
 * newer schema that the upgrade leaves behind.
 */
import type { Fault } from './fault.ts'
import { leader } from './leader.ts'
import { members } from './members.ts'
import { moments } from './moments.ts'
import { natsOutage } from './nats-outage.ts'
import { postgresOutage } from './postgres-outage.ts'
import { rolling } from './rolling.ts'
import { slowNats, slowNetwork, slowPostgres } from './slow.ts'
import { upgrade } from './upgrade.ts'

const COMMON: readonly Fault[] = [postgresOutage, members, moments, leader, natsOutage]

export const FAULTS: readonly Fault[] = [...COMMON, rolling, upgrade, slowNats, slowPostgres]

/** The short run slows both networks at once, and restarts all members only for the upgrade. */
export const FAULTS_IN_SHORT: readonly Fault[] = [...COMMON, upgrade, slowNetwork]
