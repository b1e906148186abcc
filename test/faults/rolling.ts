/** Restarts the members gracefully, one after the other; in the short run one of each role. */
import type { Member } from '../support/cluster.ts'
import { payloadField } from '../support/sms.ts'
import { type Fault, type Scene, underLoad } from './fault.ts'
import type { FailedRequest } from './load.ts'

/** The time between a client's request and its connection. */
const SLACK_MS = 500

type Stop = Readonly<{ url: string; from: number; to: number }>

export const rolling: Fault = {
  name: 'rolling',
  promise: 'a rolling restart refuses no client, loses no message and sends none twice',
  usual: { kills: 5, seconds: 0 },
  brief: { kills: 3, seconds: 0 },
  inject: (scene) => roll(scene, oneOfEach(scene).slice(0, scene.plan.kills)),
  async afterwards(_scene, messages) {
    const abandoned = messages.filter(({ events }) =>
      events.some((event) => payloadField(event, 'code') === 'ABANDONED'),
    )
    return abandoned.map(({ id }) => `an attempt of ${id} was not finished before the stop`)
  },
}

/** Restarts under load, as this release or as the one whose main file is `main`. */
export async function roll(scene: Scene, members: readonly Member[], main?: string): Promise<readonly string[]> {
  const { load, note } = scene
  const { rate, onProgress } = scene.plan
  const problems: string[] = []
  const stops: Stop[] = []
  const before = load.failures.length
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
  return [...problems, ...problemsOfRequests(load.failures.slice(before), stops)]
}

/** An API process, a worker and a projector first, then the others. */
export function oneOfEach({ site: { cluster } }: Scene): readonly Member[] {
  const firsts = ['api', 'worker', 'projector'].flatMap((role) => cluster.withRole(role).slice(0, 1))
  return [...firsts, ...cluster.members.filter((member) => !firsts.includes(member))]
}

/** Only connections to a stopping process may be refused; no other failure is allowed. */
function problemsOfRequests(failures: readonly FailedRequest[], stops: readonly Stop[]): string[] {
  return failures
    .filter(({ kind, url, askedAt }) => {
      const isStopping = stops.some((stop) => stop.url === url && askedAt >= stop.from - SLACK_MS && askedAt <= stop.to)
      return kind !== 'refused' || !isStopping
    })
    .map(({ kind, url, tookMs }) => `a request to ${url} was ${kind} after ${Math.round(tookMs)} ms`)
}
