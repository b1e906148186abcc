/** The text of an SMS with the characters outside GSM-7 highlighted. */
import { isOutsideGsm } from './segments.ts'

type Run = Readonly<{ text: string; isOutside: boolean; at: number }>

export const GsmText = ({ text }: Readonly<{ text: string }>) =>
  toRuns(text).map((run) => (run.isOutside ? <mark key={run.at}>{run.text}</mark> : run.text))

/** Merges neighbours, so that an emoji of several characters stays whole. */
function toRuns(text: string): readonly Run[] {
  const runs: Run[] = []
  let at = 0
  for (const character of text) {
    const [isOutside, last] = [isOutsideGsm(character), runs.at(-1)]
    if (last?.isOutside === isOutside) runs[runs.length - 1] = { ...last, text: last.text + character }
    else runs.push({ text: character, isOutside, at })
    at += character.length
  }
  return runs
}
