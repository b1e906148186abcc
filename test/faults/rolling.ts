/** Every member, in short one of each role, is told to stop, finishes what it has in hand, and is started again, one after the other. */
import type { Member } from '../support/cluster.ts'
import { told } from '../support/sms.ts'
import { type Fault, type Scene, underLoad } from './fault.ts'
import type { Setback } from './load.ts'

/** Between the moment a caller asks and the moment its connection is made. */
const SLACK_MS = 500

type Stop = Readonly<{ url: string; from: number; to: number }>

export const rolling: Fault = {
  name: 'rolling',
  promise: 'a rolling restart turns nobody away, and loses and doubles nothing',
  usual: { kills: 5, seconds: 0 },
  brief: { kills: 3, seconds: 0 },
  harm: (scene) => roll(scene, oneOfEach(scene).slice(0, scene.plan.kills)),
  async afterwards(_scene, messages) {
    const abandoned = messages.filter(({ events }) => events.some((event) => told(event, 'code') === 'ABANDONED'))
    return abandoned.map(({ id }) => `an attempt at ${id} was not finished before the end`)
  },
}

/** One after the other, while the load goes on; each comes back as the release that `main` is of. */
export async function roll(scene: Scene, members: readonly Member[], main?: string): Promise<readonly string[]> {
  const { load, note } = scene
  const { rate, onProgress } = scene.plan
  const problems: string[] = []
  const stops: Stop[] = []
  const before = load.setbacks.length
  let slowestMs = 0
  for (const member of members) {
    const from = Date.now()
    const { code, signal } = await member.kill('SIGTERM')
    slowestMs = Math.max(slowestMs, Date.now() - from)
    if (code !== 0) problems.push(`${member.name} ended with ${code ?? signal}`)
    await member.start(main)
    stops.push({ url: member.url, from, to: Date.now() })
    await underLoad(load, rate / 2)
    onProgress(`${member.name} is back`)
  }
  note('slowest stop, ms', slowestMs)
  return [...problems, ...problemsOfRequests(load.setbacks.slice(before), stops)]
}

/** An api, a worker and a projector first, and then the others. */
export function oneOfEach({ site: { cluster } }: Scene): readonly Member[] {
  const firsts = ['api', 'worker', 'projector'].flatMap((role) => cluster.having(role).slice(0, 1))
  return [...firsts, ...cluster.members.filter((member) => !firsts.includes(member))]
}

/** A caller may find nobody at the door of the one that stops, and nothing worse anywhere. */
function problemsOfRequests(setbacks: readonly Setback[], stops: readonly Stop[]): string[] {
  return setbacks
    .filter(({ kind, url, askedAt }) => {
      const isStopping = stops.some((stop) => stop.url === url && askedAt >= stop.from - SLACK_MS && askedAt <= stop.to)
      return kind !== 'refused' || !isStopping
    })
    .map(({ kind, url, tookMs }) => `a request to ${url} was ${kind} after ${Math.round(tookMs)} ms`)
}
