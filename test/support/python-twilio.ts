/** Twilio's library for Python, as Debian packages it. */
import { execFileSync } from 'node:child_process'

const PYTHON = '/usr/bin/python3'

/** Debian's Python, if it has Twilio's library. */
export function findPythonTwilio(): string | undefined {
  try {
    execFileSync(PYTHON, ['-c', 'import twilio.rest'], { stdio: 'ignore' })
    return PYTHON
  } catch {
    return undefined
  }
}
