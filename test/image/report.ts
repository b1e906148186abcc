/** One line per step, with its duration. */
const MAX_LENGTH = 100

export function report(what: string, millis: number): void {
  const text = what.length > MAX_LENGTH ? `${what.slice(0, MAX_LENGTH)}…` : what
  console.log(`image: ${(millis / 1000).toFixed(1).padStart(5)} s  ${text}`)
}
