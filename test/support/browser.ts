/** A real browser for tests: Debian's Chromium, or the one that POMBO_TEST_CHROMIUM names. It makes no calls of its own. */
import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'

const PATH_VARIABLE = 'POMBO_TEST_CHROMIUM'
const INSTALLED = '/usr/bin/chromium'

export const findChromium = (): string | undefined =>
  [process.env[PATH_VARIABLE], INSTALLED].find((path) => path !== undefined && existsSync(path))

/** Why no browser is available; undefined if one is. */
export const missingChromium = (): string | undefined =>
  findChromium() === undefined ? `Chromium is not installed, and ${PATH_VARIABLE} names none` : undefined

const ARGUMENTS = [
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
  // The sandbox does not work for root, which runs the tests in containers.
  const isRoot = process.getuid?.() === 0
  return chromium.launch({ executablePath, args: [...ARGUMENTS, ...(isRoot ? ['--no-sandbox'] : [])] })
}
