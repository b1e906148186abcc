/** Which environment variables are set, and which are misspelt. */
import { nearest } from './nearest.ts'

export type Env = Readonly<Record<string, string | undefined>>

/** An empty variable counts as not set. */
export const isSet = (env: Env, name: string): boolean => (env[name] ?? '') !== ''

/** A warning for each variable that starts with POMBO_ and is not a setting. */
export const unknownNames = (env: Env, known: readonly string[]): readonly string[] =>
  Object.keys(env)
    .filter((name) => name.startsWith('POMBO_') && !known.includes(name) && isSet(env, name))
    .toSorted()
    .map((name) => toWarning(name, known))

function toWarning(name: string, known: readonly string[]): string {
  const meant = nearest(name, known)
  return `${name} is not a setting${meant === undefined ? '' : `; did you mean ${meant}?`}`
}
