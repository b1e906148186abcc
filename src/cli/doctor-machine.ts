/** The checks of the machine itself: the version of Node and the clock. */
import { statSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '../config/config.ts'
import { DATABASE_FILE } from '../config/secrets.ts'
import { type Check, failed, passed } from '../lib/check.ts'

const NEEDED = { major: 24, minor: 12 }

export function checkNode(version: string): Check {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const isEnough = major > NEEDED.major || (major === NEEDED.major && minor >= NEEDED.minor)
  if (isEnough) return passed('node', version)
  return failed('node', `${version} is older than ${NEEDED.major}.${NEEDED.minor}; start Pombo by bin/pombo.cjs`)
}

/** This code is no older than this. */
const RELEASED = Date.parse('2025-11-01')
const TOLERANCE_MS = 60_000

export function checkClock(now: number, { dataDir }: Pick<Config, 'dataDir'>): Check {
  const time = new Date(now).toISOString()
  if (now < RELEASED) return failed('clock', `it is ${time} by this machine, which is before Pombo was made; set it`)
  const written = statSync(join(dataDir, DATABASE_FILE), { throwIfNoEntry: false })?.mtimeMs ?? 0
  if (written > now + TOLERANCE_MS) {
    return failed('clock', `it is ${time} by this machine, and the database was written later than that; set it`)
  }
  return passed('clock', time)
}
