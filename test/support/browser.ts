/** A real browser for tests: Debian's Chromium, or the one that POMBO_TEST_CHROMIUM names. It speaks to nobody by itself. */
import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'

const BORROWED = 'POMBO_TEST_CHROMIUM'
const INSTALLED = '/usr/bin/chromium'

export const findChromium = (): string | undefined =>
  [process.env[BORROWED], INSTALLED].find((path) => path !== undefined && existsSync(path))

/** Why there is none to test with; undefined when there is. */
export const missingChromium = (): string | undefined =>
  findChromium() === undefined ? `Chromium is not installed, and ${BORROWED} names none` : undefined

const QUIET = [
  '--disable-gpu',
  '--disable-dev-shm-usage',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
]

export function openBrowser(): Promise<Browser> {
  const executablePath = findChromium()
  if (executablePath === undefined) throw new Error(missingChromium())
  // Its sandbox does not work for root, which is who tests in containers.
  const isRoot = process.getuid?.() === 0
  return chromium.launch({ executablePath, args: [...QUIET, ...(isRoot ? ['--no-sandbox'] : [])] })
}
