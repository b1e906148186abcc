/** A random code of six digits, uniformly distributed. */
import { randomInt } from 'node:crypto'

const DIGITS = 6

export const drawCode = (): string => String(randomInt(10 ** DIGITS)).padStart(DIGITS, '0')
