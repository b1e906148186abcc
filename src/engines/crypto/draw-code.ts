/** Six digits that nobody can foresee, each as likely as any other. */
import { randomInt } from 'node:crypto'

const DIGITS = 6

export const drawCode = (): string => String(randomInt(10 ** DIGITS)).padStart(DIGITS, '0')
