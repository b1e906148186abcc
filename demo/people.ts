/** Fictitious recipients, with unassigned numbers and a reserved domain. */
import type { Dice } from '../src/ports/world.ts'
import { pick, randomBelow } from './random.ts'

export type Person = Readonly<{ name: string; phone: string; email: string; locale: string }>

const NAMES = [
  ['Ada Finch', 'en'],
  ['Bruno Pardal', 'pt-BR'],
  ['Clara Taube', 'de'],
  ['Dora Wren', 'en'],
  ['Elias Gaivota', 'pt-BR'],
  ['Fritz Amsel', 'de'],
  ['Greta Swift', 'en'],
  ['Hugo Rola', 'pt-BR'],
  ['Ines Andorinha', 'pt-BR'],
  ['Jonas Specht', 'de'],
  ['Kit Heron', 'en'],
  ['Lena Kranich', 'de'],
  ['Mara Cotovia', 'pt-BR'],
  ['Nils Starling', 'en'],
] as const

const FIRST_NUMBER = 100

export const PEOPLE: readonly Person[] = NAMES.map(([name, locale], index) => ({
  name,
  locale,
  phone: toPhone(FIRST_NUMBER + index),
  email: `${name.toLowerCase().replace(' ', '.')}@sim.pombo.test`,
}))

/** In the range of the simulator; numbers below 0010 are magic. */
function toPhone(last: number): string {
  return `+1500555${String(last).padStart(4, '0')}`
}

/** A random number outside the directory. */
export const anyPhone = (dice?: Dice): string => toPhone(1_000 + randomBelow(9_000, dice))

export const anybody = (dice?: Dice): Person => pick(PEOPLE, dice)
